// The entities of a query as rows, of the present or a past state.

import { typesOfQuery } from '../query.ts';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { EntityRow, Type, Value } from '../api.ts';
import { at, isNumber, isSortable, leaves, nameOfChoice } from '../fields.ts';
import { count, isTarget, value as printValue } from '../format.ts';
import { mark, marks, toggleMark } from '../marks.ts';
import { type Rows } from '../rows.ts';
import { selectEntity } from '../route.ts';
import { keptCell, useCell } from '../store.ts';
import { types } from '../world.ts';
import { Popover, State } from './basics.tsx';
import { VirtualRows } from './virtual_rows.tsx';

/** Components whose fields are columns; null: those that the query names. */
export const chosenColumns = keptCell<readonly string[] | null>('covey.columns', null, sessionStorage);

export function useColumns(query: string): string[] {
    const known = useCell(types);
    const chosen = useCell(chosenColumns);
    return useMemo(() => {
        const names = new Set(known.map((type) => type.name));
        return (chosen ?? typesOfQuery(query, known)).filter((name) => names.has(name));
    }, [query, chosen, known.map((type) => type.name).join()]);
}

interface Column {
    title: string;
    type: string;
    path: string;
    numeric: boolean;
    entity: boolean;
    sortable: boolean;
    names: readonly string[] | undefined; // of a choice
}

function columnsOf(names: readonly string[], known: readonly Type[]): Column[] {
    return names.flatMap((name) => {
        const type = known.find((held) => held.name === name);
        return leaves(type?.fields ?? [], 2)
            .slice(0, 8)
            .map((leaf) => ({ title: leaf.path, type: name, path: leaf.path, numeric: isNumber(leaf.kind) && !leaf.names, entity: leaf.kind === 'entity', sortable: isSortable(leaf), names: leaf.names }));
    });
}

const rowHeight = 24;

/** The field that the rows are sorted by, as "Position.x"; "-Position.x": the largest first; "": by index. */
export type Sort = string;

/** How many rows a sorted list has at most: as many as the server sorts. */
export const mostSorted = 10_000;

/** A sort that holds while its type is a column. */
export function useSort(columns: readonly string[]): [Sort, (sort: Sort) => void] {
    const [sort, setSort] = useState<Sort>('');
    const held = columns.some((name) => sort.replace(/^-/, '').startsWith(`${name}.`));
    return [held ? sort : '', setSort];
}

/** First the smallest, then the largest first, then by index again. */
const nextSort = (sort: Sort, field: string): Sort => (sort === field ? `-${field}` : sort === `-${field}` ? '' : field);

export function EntityTable(props: {
    rows: Rows;
    columns: readonly string[];
    selected: string | null;
    label: string;
    empty: preact.ComponentChildren;
    sort: Sort;
    onSort: (sort: Sort) => void;
    /** Whether several rows can be marked. */
    marks?: boolean;
}) {
    const known = useCell(types);
    const [current, setCurrent] = useState(-1);
    const anchor = useRef(-1); // where a range of marked rows begins
    const marked = new Set(useCell(marks));
    const columns = useMemo(() => columnsOf(props.columns, known), [props.columns, known]);
    const template = `minmax(124px, 1.1fr) ${columns.map((column) => (column.numeric ? '88px' : 'minmax(88px, 0.7fr)')).join(' ')} minmax(170px, 2fr)`;
    const width = `${294 + columns.length * 88}px`;

    // The selection is an entity: the number of its row may have changed.
    useEffect(() => {
        if (current >= 0 && props.rows.row(current) && props.rows.row(current)?.e !== props.selected) setCurrent(-1);
    }, [props.selected]);

    const { rows } = props;
    const awaited = useRef(-1); // a row that was selected before it was loaded
    useEffect(() => {
        const row = rows.row(awaited.current);
        if (!row) return;
        awaited.current = -1;
        selectEntity(row.e);
    });
    if (rows.known && rows.count === 0 && rows.complete) return <div class="table-empty">{props.empty}</div>;
    if (!rows.known && !rows.error) return <State kind="loading" title="Asking for entities …" />;
    const markTo = (index: number) => {
        const from = anchor.current < 0 ? index : anchor.current;
        const range = [];
        for (let i = Math.min(from, index); i <= Math.max(from, index); i++) range.push(rows.row(i)?.e);
        mark(range.filter((e) => e !== undefined));
    };
    const select = (index: number, event: KeyboardEvent | MouseEvent) => {
        setCurrent(index);
        const row = rows.row(index);
        if (props.marks && event.shiftKey) return markTo(index);
        anchor.current = index;
        if (props.marks && row && (event.ctrlKey || event.metaKey)) return toggleMark(row.e, props.selected);
        marks.set([]);
        awaited.current = row ? -1 : index;
        if (row) selectEntity(row.e);
    };
    const onKey = (event: KeyboardEvent) => {
        const row = rows.row(current);
        if (event.key === ' ' && row) toggleMark(row.e, props.selected);
        else if (event.key === 'Escape' && marked.size > 0) marks.set([]);
        else return;
        event.preventDefault();
    };
    return (
        <VirtualRows
            id="entities"
            role="grid"
            label={props.label}
            count={props.sort ? Math.min(rows.count, mostSorted) : rows.count}
            rowHeight={rowHeight}
            headerHeight={26}
            current={current >= 0 ? current : -1}
            onCurrent={select}
            {...(props.marks ? { isMarked: (index: number) => marked.has(rows.row(index)?.e ?? ''), onKey } : {})}
            onWindow={rows.want}
            header={
                <div class="vhead" role="row" style={{ gridTemplateColumns: template, minWidth: width }}>
                    <span role="columnheader">Entity</span>
                    {columns.map((column) => (
                        <Heading key={`${column.type}.${column.path}`} column={column} sort={props.sort} onSort={props.onSort} />
                    ))}
                    <span role="columnheader">Components</span>
                </div>
            }
            row={(index) => (
                <RowCells row={rows.row(index)} index={index} columns={columns} types={known} template={template} width={width} selected={props.marks && marked.size > 0 ? marked.has(rows.row(index)?.e ?? '') : rows.row(index)?.e === props.selected} />
            )}
        />
    );
}

/** The heading of a column. Numbers can be sorted by. */
function Heading({ column, sort, onSort }: { column: Column; sort: Sort; onSort: (sort: Sort) => void }) {
    const field = `${column.type}.${column.path}`;
    const order = sort === field ? 'ascending' : sort === `-${field}` ? 'descending' : undefined;
    const title = (
        <>
            <span class="dim">{column.type}.</span>
            {column.title}
        </>
    );
    return (
        <span role="columnheader" class={column.numeric ? 'number' : ''} title={field} aria-sort={order}>
            {column.sortable ? (
                <button type="button" class="sort" onClick={() => onSort(nextSort(sort, field))}>
                    <span aria-hidden="true">{order === 'ascending' ? '▲ ' : order === 'descending' ? '▼ ' : ''}</span>
                    {title}
                </button>
            ) : (
                title
            )}
        </span>
    );
}

function RowCells(props: {
    row: EntityRow | undefined;
    index: number;
    columns: readonly Column[];
    types: readonly Type[];
    template: string;
    width: string;
    selected: boolean;
}) {
    const { row } = props;
    const style = { gridTemplateColumns: props.template, minWidth: props.width };
    if (!row)
        return (
            <div class="cells pending" style={style}>
                <span role="gridcell" class="dim">
                    {count(props.index)} …
                </span>
            </div>
        );
    return (
        <div class={`cells ${row.enabled ? '' : 'disabled'} ${props.selected ? 'selected' : ''}`} style={style} data-e={row.e}>
            <span role="gridcell" class="who">
                {row.name && <span class="name">{row.name}</span>}
                <code>{row.e}</code>
                {!row.enabled && <span class="badge">disabled</span>}
            </span>
            {props.columns.map((column) => (
                <span key={`${column.type}.${column.path}`} role="gridcell" class={column.numeric ? 'number' : 'text'}>
                    {column.entity ? <Target value={row.values?.[column.type]} column={column} /> : printCell(row.values?.[column.type], column)}
                </span>
            ))}
            <span role="gridcell" class="chips">
                {row.types.map((index) => (
                    <span key={index} class={`chip ${props.types[index]?.tag ? 'tag' : ''}`}>
                        {props.types[index]?.name ?? '…'}
                    </span>
                ))}
            </span>
        </div>
    );
}

/** An entity that a field names, as a link; the keys of the table go from row to row. */
function Target({ value, column }: { value: Value | undefined; column: Column }) {
    const e = value === undefined || value === null || typeof value === 'string' ? value : at(value, column.path);
    if (!isTarget(e)) return <>{printCell(value, column)}</>;
    return (
        <button
            type="button"
            class="link"
            tabIndex={-1}
            title={`Go to ${e}`}
            onClick={(event) => {
                event.stopPropagation();
                selectEntity(e);
            }}
        >
            {e}
        </button>
    );
}

function printCell(value: Value | undefined, column: Column): string {
    if (value === undefined || value === null) return '';
    if (typeof value === 'string') return value; // bytes of a type without fields
    return column.names ? nameOfChoice(column.names, at(value, column.path)) : printValue(at(value, column.path), 24);
}

/** Which components have columns. */
export function ColumnChooser({ columns }: { columns: readonly string[] }) {
    const known = useCell(types).filter((type) => (type.fields?.length ?? 0) > 0);
    const chosen = useCell(chosenColumns);
    const toggle = (name: string) => chosenColumns.set(columns.includes(name) ? columns.filter((held) => held !== name) : [...columns, name]);
    return (
        <Popover icon="columns" label="Columns">
            <label class="check">
                <input type="checkbox" checked={chosen === null} onChange={() => chosenColumns.set(chosen === null ? columns : null)} />
                those of the query
            </label>
            <hr />
            {known.map((type) => (
                <label class="check" key={type.name}>
                    <input type="checkbox" checked={columns.includes(type.name)} onChange={() => toggle(type.name)} />
                    <span>{type.name}</span>
                    <span class="dim">{count(type.count)}</span>
                </label>
            ))}
        </Popover>
    );
}
