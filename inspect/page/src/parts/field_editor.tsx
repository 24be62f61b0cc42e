// The fields of a value, by kind: as text, or as inputs if the page may write.

import { useEffect, useRef, useState } from 'preact/hooks';
import type { Field, Shown as Show, Value } from '../api.ts';
import { colourOfHex, hexOfColour, isFloat, isNumber, isText, nameOfChoice, parse } from '../fields.ts';
import { float, isTarget, nullEntity } from '../format.ts';
import { selectEntity } from '../route.ts';
import { EntityLink } from './basics.tsx';
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
    if (field.show) return <Leaf {...props} kind={field.kind} length={field.count} show={field.show} />;
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

function Leaf(props: { kind: string; length: number; show?: Show; value: Value | undefined; path: string; label: string; actions: Actions }) {
    const { actions, kind, path, show } = props;
    const one = props.length === 1 || kind === 'char';
    const watched = actions.isWatched?.(path) ?? false;
    const differs = actions.differs?.some((other) => other === path || other.startsWith(`${path}[`)) ?? false;
    const title = `${actions.owner}.${path}`;
    return (
        <div class="field-row" data-path={path}>
            <span class="field-name" title={path}>
                {props.label}
            </span>
            <span class="field-value">
                {show && (show.as !== 'range' || actions.set) && <Special {...props} show={show} differs={differs} title={title} set={actions.set} />}
                {(!show || show.as === 'range' || show.as === 'angle') &&
                    (actions.set ? <Editor {...props} differs={differs} title={title} set={actions.set} /> : <Shown kind={kind} value={props.value} differs={differs} />)}
                {kind === 'entity' && actions.set && !differs && isTarget(props.value) && (
                    <button type="button" class="button bare plain" aria-label={`Follow ${actions.owner}.${path} to ${props.value}`} title={`Go to ${props.value}`} onClick={() => selectEntity(props.value as string)}>
                        <Icon name="follow" />
                    </button>
                )}
            </span>
            <span class="field-kind">{kindOf(kind, props.length, show, props.value)}</span>
            {actions.watch && isNumber(kind) && one ? (
                <button type="button" class="button bare plain" aria-label={`Watch ${actions.owner}.${path}`} title={`Watch ${path}`} aria-pressed={watched} onClick={() => actions.watch?.(path)}>
                    <Icon name="watch" />
                </button>
            ) : (
                <span />
            )}
        </div>
    );
}

function kindOf(kind: string, length: number, show: Show | undefined, value: Value | undefined): string {
    if (show?.as === 'angle' && typeof value === 'number') return `${degrees(value)}°`;
    if (show?.as === 'choice') return `${kind} ${value ?? ''}`;
    return length === 1 ? kind : kind === 'char' ? `text ${length}` : `${kind}[${length}]`;
}

const degrees = (radians: number): number => Number(((radians * 180) / Math.PI).toFixed(1));

/** What a field has beside its number, or instead of it: a slider, a list of names, or a colour. */
function Special(props: { kind: string; show: Show; value: Value | undefined; path: string; title: string; differs: boolean; set: Actions['set'] }) {
    const { show, kind, value, path, title, set } = props;
    const send = (next: Value) => {
        const parsed = typeof next === 'number' ? parse(kind, String(next)) : ({ ok: true, value: next } as const);
        if (parsed.ok) set?.(path, parsed.value, printField(kind, next));
    };
    if (show.as === 'colour')
        return (
            <span class="colour">
                <input type="color" aria-label={title} title={props.differs ? 'various' : hexOfColour(kind, value)} disabled={!set} value={hexOfColour(kind, value)} onChange={(event) => send(colourOfHex(kind, value, event.currentTarget.value))} />
                <code class="dim">{props.differs ? 'various' : hexOfColour(kind, value)}</code>
            </span>
        );
    if (show.as === 'choice') {
        const names = show.names ?? [];
        const named = Number(value) >= 0 && Number(value) < names.length;
        if (!set) return <output class="shown">{props.differs ? 'various' : nameOfChoice(names, value)}</output>;
        return (
            <select
                aria-label={title}
                value={props.differs ? '' : String(value)}
                onChange={(event) => {
                    const wanted = event.currentTarget.value;
                    if (wanted !== '') send(Number(wanted));
                }}
            >
                {props.differs && <option value="">various</option>}
                {!props.differs && !named && <option value={String(value)}>{String(value)}, without a name</option>}
                {names.map((name, i) => (
                    <option key={name} value={i}>
                        {name}
                    </option>
                ))}
            </select>
        );
    }
    return <Slider {...props} send={send} />;
}

function Slider({ kind, show, value, title, set, send }: { kind: string; show: Show; value: Value | undefined; title: string; set: Actions['set']; send: (value: Value) => void }) {
    const [held, setHeld] = useState<number | null>(null); // while it is dragged
    const angle = show.as === 'angle';
    const least = angle ? -180 : (show.least ?? 0);
    const most = angle ? 180 : (show.most ?? 1);
    const number = Number(value ?? least);
    const live = angle ? Math.atan2(Math.sin(number), Math.cos(number)) * (180 / Math.PI) : number;
    return (
        <input
            type="range"
            aria-label={`${title}${angle ? ' in degrees' : ''}, slider`}
            min={least}
            max={most}
            step={angle ? 1 : isFloat(kind) ? (most - least) / 200 : 1}
            disabled={!set}
            value={held ?? live}
            onInput={(event) => setHeld(event.currentTarget.valueAsNumber)}
            onChange={(event) => {
                const wanted = event.currentTarget.valueAsNumber;
                setHeld(null);
                send(angle ? Number(((wanted * Math.PI) / 180).toPrecision(7)) : wanted);
            }}
        />
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
    if (kind === 'entity' && isTarget(value)) return <EntityLink e={value} />;
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
                        queueMicrotask(() => input.current?.blur()); // after the rendering, before the next key
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
