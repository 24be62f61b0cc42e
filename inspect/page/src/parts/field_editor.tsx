// The fields of a value, by kind: as text, or as inputs if the page may write.

import { useEffect, useRef, useState } from 'preact/hooks';
import type { Field, Value } from '../api.ts';
import { isFloat, isNumber, isText, parse } from '../fields.ts';
import { float, isEntity, nullEntity } from '../format.ts';
import { selectEntity } from '../route.ts';
import { Icon } from './icons.tsx';

/** Actions for a field at a path; an action that is missing is not offered. */
export interface Actions {
    /** The type of the fields. */
    owner: string;
    set?: (path: string, value: Value, text: string) => void;
    watch?: (path: string) => void;
    isWatched?: (path: string) => boolean;
    /** The paths of values that differ, where the fields are those of several entities. */
    differs?: readonly string[];
}

const shownElements = 16;

export function Fields(props: { fields: readonly Field[]; value: Value | undefined; prefix?: string; actions: Actions }) {
    const held = props.value !== null && typeof props.value === 'object' && !Array.isArray(props.value) ? props.value : {};
    return (
        <div class="fields">
            {props.fields.map((field) => (
                <FieldRow key={field.name} field={field} value={held[field.name]} path={(props.prefix ?? '') + field.name} label={field.name} actions={props.actions} />
            ))}
        </div>
    );
}

function FieldRow(props: { field: Field; value: Value | undefined; path: string; label: string; actions: Actions }) {
    const { field } = props;
    if (field.kind === 'padding')
        return (
            <div class="field-row padding">
                <span class="field-name">{props.label}</span>
                <span class="dim">{field.count} bytes, not described</span>
            </div>
        );
    if (isText(field)) return <Leaf {...props} kind="char" length={field.count} />;
    if (field.count > 1) return <ArrayRow {...props} />;
    if (field.fields)
        return (
            <fieldset class="nested">
                <legend>{props.label}</legend>
                <Fields fields={field.fields} value={props.value} prefix={`${props.path}.`} actions={props.actions} />
            </fieldset>
        );
    return <Leaf {...props} kind={field.kind} length={1} />;
}

function ArrayRow(props: { field: Field; value: Value | undefined; path: string; label: string; actions: Actions }) {
    const [shown, setShown] = useState(props.field.count <= 4 ? props.field.count : 0);
    const elements = Array.isArray(props.value) ? props.value : [];
    const one: Field = { ...props.field, count: 1 };
    const open = shown > 0;
    return (
        <fieldset class="nested array">
            <legend>
                <button type="button" class="disclose" aria-expanded={open} onClick={() => setShown(open ? 0 : shownElements)}>
                    <span class={`twist ${open ? 'open' : ''}`}>
                        <Icon name="open" />
                    </span>
                    {props.label}
                    <span class="dim">
                        {' '}
                        {props.field.kind === 'struct' ? '' : props.field.kind}[{props.field.count}]
                    </span>
                </button>
            </legend>
            {elements.slice(0, shown).map((element, i) => (
                <FieldRow key={i} field={one} value={element} path={`${props.path}[${i}]`} label={`[${i}]`} actions={props.actions} />
            ))}
            {open && shown < elements.length && (
                <button type="button" class="link" onClick={() => setShown(shown + 64)}>
                    {elements.length - shown} more …
                </button>
            )}
        </fieldset>
    );
}

function Leaf(props: { kind: string; length: number; value: Value | undefined; path: string; label: string; actions: Actions }) {
    const { actions, kind, path } = props;
    const watched = actions.isWatched?.(path) ?? false;
    const differs = actions.differs?.includes(path) ?? false;
    return (
        <div class="field-row" data-path={path}>
            <span class="field-name" title={path}>
                {props.label}
            </span>
            <span class="field-value">
                {actions.set ? <Editor {...props} differs={differs} title={`${actions.owner}.${path}`} set={actions.set} /> : <Shown kind={kind} value={props.value} differs={differs} />}
                {kind === 'entity' && typeof props.value === 'string' && isEntity(props.value) && props.value !== nullEntity && (
                    <button type="button" class="button bare plain" aria-label={`Follow ${actions.owner}.${path} to ${props.value}`} title={`Go to ${props.value}`} onClick={() => selectEntity(props.value as string)}>
                        <Icon name="follow" />
                    </button>
                )}
            </span>
            <span class="field-kind">{props.length > 1 ? `text ${props.length}` : kind}</span>
            {actions.watch && isNumber(kind) ? (
                <button type="button" class="button bare plain" aria-label={`Watch ${actions.owner}.${path}`} title={`Watch ${path}`} aria-pressed={watched} onClick={() => actions.watch?.(path)}>
                    <Icon name="watch" />
                </button>
            ) : (
                <span />
            )}
        </div>
    );
}

export function printField(kind: string, value: Value | undefined): string {
    if (value === undefined || value === null) return kind === 'entity' ? 'null' : isFloat(kind) ? 'nan' : '';
    if (kind === 'entity') return value === nullEntity ? 'null' : String(value);
    if (typeof value === 'number') return isFloat(kind) ? float(value) : String(value);
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function Shown({ kind, value, differs }: { kind: string; value: Value | undefined; differs: boolean }) {
    if (differs) return <output class="shown dim">various</output>;
    if (kind === 'bool') return <input type="checkbox" checked={value === true} disabled aria-label="value" />;
    return <output class={`shown ${isNumber(kind) ? 'number' : ''}`}>{printField(kind, value)}</output>;
}

/** What an input shows while it has the focus, and what the world has of it, as far as the page knows. */
interface Draft {
    text: string;
    sent: string;
}

/** An input that shows the live value. While it has the focus, it holds still: a new value would move the cursor. */
function Editor(props: { kind: string; length: number; value: Value | undefined; path: string; title: string; differs: boolean; set: (path: string, value: Value, text: string) => void }) {
    const { kind } = props;
    const draft = useRef<Draft | null>(null);
    const [, renew] = useState(0);
    const input = useRef<HTMLInputElement>(null);
    const live = props.differs ? '' : printField(kind, props.value);
    const untouched = draft.current === null || (props.differs && draft.current.text === '');
    const parsed = untouched ? null : parse(kind, draft.current?.text ?? '', props.length);
    const wrong = parsed && !parsed.ok ? parsed.why : '';
    useEffect(() => {
        input.current?.setCustomValidity(wrong);
    }, [wrong]);

    if (kind === 'bool')
        return (
            <input
                type="checkbox"
                checked={props.value === true}
                indeterminate={props.differs}
                aria-label={props.title}
                onChange={(event) => {
                    const wanted = event.currentTarget.checked;
                    event.currentTarget.checked = props.value === true;
                    props.set(props.path, wanted, String(wanted));
                }}
            />
        );

    const hold = (next: Draft | null) => {
        draft.current = next;
        renew((n) => n + 1);
    };
    const send = (text: string) => {
        const wanted = parse(kind, text, props.length);
        if (!wanted.ok) return;
        hold({ text, sent: text });
        props.set(props.path, wanted.value, text === '' ? '""' : text);
    };
    const commit = () => {
        if (draft.current && draft.current.text !== draft.current.sent) send(draft.current.text);
    };
    const step = (event: KeyboardEvent, sign: number) => {
        const text = draft.current?.text ?? live;
        const from = text === '' ? NaN : Number(text);
        if (!isNumber(kind) || !Number.isFinite(from) || (!isFloat(kind) && !Number.isSafeInteger(from))) return;
        const size = event.shiftKey ? 10 : event.altKey && isFloat(kind) ? 0.1 : 1;
        event.preventDefault();
        send(String(Number((from + sign * size).toPrecision(isFloat(kind) ? 12 : 16))));
    };
    return (
        <span class="editor">
            <input
                ref={input}
                type="text"
                class={isNumber(kind) ? 'number' : ''}
                inputMode={isNumber(kind) ? 'decimal' : 'text'}
                aria-label={props.title}
                aria-invalid={wrong !== ''}
                spellcheck={false}
                autocomplete="off"
                value={draft.current?.text ?? live}
                placeholder={props.differs ? 'various' : undefined}
                onInput={(event) => hold({ text: event.currentTarget.value, sent: draft.current?.sent ?? live })}
                onFocus={(event) => {
                    hold({ text: event.currentTarget.value, sent: event.currentTarget.value });
                    event.currentTarget.select();
                }}
                onBlur={() => {
                    commit();
                    hold(null);
                }}
                onKeyDown={(event) => {
                    if (event.key === 'Enter') commit();
                    else if (event.key === 'Escape') {
                        hold(null);
                        setTimeout(() => input.current?.blur());
                    } else if (event.key === 'ArrowUp') step(event, 1);
                    else if (event.key === 'ArrowDown') step(event, -1);
                }}
            />
            {wrong && (
                <span class="wrong" role="alert">
                    {wrong}
                </span>
            )}
        </span>
    );
}
