// A query and its entities, the hierarchy, and the selected entity.

import { useEffect } from 'preact/hooks';
import { edit } from '../edits.ts';
import { count } from '../format.ts';
import { marks } from '../marks.ts';
import { Button, State } from '../parts/basics.tsx';
import { EntityPanel } from '../parts/entity_panel.tsx';
import { ColumnChooser, EntityTable, mostSorted, useColumns, useSort } from '../parts/entity_table.tsx';
import { ExportMenu } from '../parts/export_menu.tsx';
import { QueryBox } from '../parts/query_box.tsx';
import { SeveralPanel } from '../parts/several_panel.tsx';
import { SavedQueries } from '../parts/saved_queries.tsx';
import { Tree } from '../parts/tree.tsx';
import { route, selectEntity, setParams } from '../route.ts';
import { useRows } from '../rows.ts';
import { keptCell, useCell } from '../store.ts';
import { world } from '../world.ts';

const treeShown = keptCell('covey.tree', true);

export function EntitiesView() {
    const { params } = useCell(route);
    const about = useCell(world);
    const tree = useCell(treeShown);
    const query = params.q ?? '';
    const columns = useColumns(query);
    const [sort, setSort] = useSort(columns);
    const rows = useRows({ path: 'entities', params: { query, columns: columns.join(','), sort } });
    const selected = params.e ?? null;
    const marked = useCell(marks);
    useEffect(() => marks.set([]), [selected]);
    const search = (next: string) => setParams({ q: next }, true);
    const create = async () => {
        const answer = await edit({ do: 'create' }, 'Created an entity');
        if (answer?.e) selectEntity(answer.e);
    };
    return (
        <div class={`entities-view ${tree ? '' : 'no-tree'} ${selected || marked.length > 0 ? '' : 'no-entity'}`}>
            <div class="query-line">
                <Button icon="entities" label={tree ? 'Hide the hierarchy' : 'Show the hierarchy'} bare pressed={tree} onClick={() => treeShown.set(!tree)} />
                <QueryBox query={query} error={rows.error?.body ?? null} onQuery={search} />
                <SavedQueries query={query} wrong={rows.error !== null} onQuery={search} />
                <Count rows={rows} sorted={sort !== ''} />
                <ColumnChooser columns={columns} />
                <ExportMenu query={query} columns={columns} />
                {about?.write && <Button icon="add" label="Create" title="Create an entity" onClick={() => void create()} />}
            </div>
            {tree && (
                <section class="tree-pane" aria-label="Hierarchy">
                    <Tree selected={selected} />
                </section>
            )}
            <section class="table-pane" aria-label="Entities">
                <EntityTable
                    rows={rows}
                    columns={columns}
                    selected={selected}
                    marks
                    sort={sort}
                    onSort={setSort}
                    label="Entities that match"
                    empty={
                        query ? (
                            <State title="No entity matches">
                                Change the query, or <button type="button" class="link" onClick={() => search('')}>show all entities</button>.
                            </State>
                        ) : (
                            <State title="The world is empty">Entities appear here as soon as the program creates some.</State>
                        )
                    }
                />
            </section>
            {marked.length > 0 && (
                <aside class="entity-pane" aria-label="Marked entities">
                    <SeveralPanel all={marked} />
                </aside>
            )}
            {selected && marked.length === 0 && (
                <aside class="entity-pane" aria-label="Selected entity">
                    <EntityPanel key={selected} e={selected} onClose={() => selectEntity(null)} />
                </aside>
            )}
        </div>
    );
}

function Count({ rows, sorted }: { rows: ReturnType<typeof useRows>; sorted: boolean }) {
    if (!rows.known || rows.error) return <span class="count" />;
    return (
        <span class="count" role="status" title={rows.complete ? 'exact' : `${count(rows.scanned)} indices are counted so far`}>
            <strong data-number="matches">{count(rows.count)}</strong>
            {rows.complete ? (rows.count === 1 ? ' entity' : ' entities') : ' so far …'}
            {sorted && rows.count > mostSorted && `, the first ${count(mostSorted)} sorted`}
        </span>
    );
}
