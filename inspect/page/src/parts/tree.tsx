// The hierarchy: roots with a name or children, and the levels that are open.

import { type Level, type Line, linesOf, prune, roots } from '../tree_lines.ts';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Entity, TreeRow, TreeRows } from '../api.ts';
import { ApiError, get } from '../client.ts';
import { changes, edit } from '../edits.ts';
import { count } from '../format.ts';
import { Loop, withParams } from '../poll.ts';
import { selectEntity } from '../route.ts';
import { keptCell, useCell } from '../store.ts';
import { world } from '../world.ts';
import { State } from './basics.tsx';
import { Icon } from './icons.tsx';
import { VirtualRows } from './virtual_rows.tsx';

const portion = 200; // rows that a level shows at first, and loads each time

/** A row that is dragged, and the entity that it is over: null for none. */
interface Drag {
    row: TreeRow;
    over: Entity | null;
    overName: string;
}

/** The entities whose children are shown. */
const opened = keptCell<readonly Entity[]>('covey.open', [], sessionStorage);

const newLevel = (): Level => ({ rows: [], count: 0, shown: portion, known: false });

export function Tree({ selected }: { selected: Entity | null }) {
    const levels = useRef(new Map<Entity, Level>([roots, ...opened.value].map((e) => [e, newLevel()])));
    const turn = useRef(0);
    const loop = useRef<Loop | null>(null);
    const [, renew] = useState(0);
    const [known, setKnown] = useState(false);
    const [error, setError] = useState<ApiError | null>(null);
    const [current, setCurrent] = useState(-1);
    const write = useCell(world)?.write ?? false;
    const [drag, setDrag] = useState<Drag | null>(null);
    const urgent = useRef<Entity[]>([...levels.current.keys()]);

    const remember = () => {
        const open = [...levels.current.keys()].filter((e) => e !== roots);
        if (open.join() !== opened.value.join()) opened.set(open);
    };

    useEffect(() => {
        const mine = new Loop(
            async () => {
                const open = [...levels.current.keys()];
                const parent = urgent.current.shift() ?? open[turn.current++ % open.length] ?? roots;
                const level = levels.current.get(parent);
                if (!level) return;
                try {
                    const path = withParams('tree', { parent: parent || undefined, offset: 0, limit: Math.min(level.shown, 500) });
                    const answer = await get<TreeRows>(path);
                    if (!levels.current.has(parent)) return;
                    levels.current.set(parent, { rows: answer.rows, count: answer.count, shown: level.shown, known: true });
                    prune(levels.current);
                    setError(null);
                } catch (failed) {
                    if (failed instanceof ApiError && parent === roots) setError(failed);
                    else if (failed instanceof ApiError) levels.current.delete(parent); // it is not alive
                    throw failed;
                } finally {
                    remember();
                    renew((n) => n + 1);
                    setKnown(true);
                    if (urgent.current.length > 0) mine.hurry();
                }
            },
            () => Math.max(150, 1000 / levels.current.size),
        );
        loop.current = mine;
        const end = changes.subscribe(() => {
            urgent.current = [...levels.current.keys()];
            mine.hurry();
        });
        return () => {
            end();
            mine.end();
        };
    }, []);

    const ask = (parent: Entity) => {
        urgent.current.push(parent);
        loop.current?.hurry();
        renew((n) => n + 1);
    };
    const open = (e: Entity) => {
        levels.current.set(e, newLevel());
        remember();
        ask(e);
    };
    const close = (e: Entity) => {
        levels.current.delete(e);
        prune(levels.current);
        remember();
        renew((n) => n + 1);
    };
    const more = (e: Entity) => {
        const level = levels.current.get(e);
        if (!level) return;
        level.shown += portion;
        ask(e);
    };

    const move = async () => {
        setDrag(null);
        if (!drag || drag.over === null || drag.over === drag.row.e) return;
        const parent = drag.over === roots ? null : drag.over;
        const name = drag.row.name || drag.row.e;
        const done = await edit({ do: 'parent', e: drag.row.e, parent }, parent ? `Moved ${name} below ${drag.overName}` : `Made ${name} a root`);
        if (done && parent && !levels.current.has(parent)) open(parent);
    };
    /** Makes a part a place to drop a dragged row: an entity, or the roots. */
    const target = (e: Entity, name: string) => ({
        onDragOver: (event: DragEvent) => {
            if (!drag) return;
            event.preventDefault();
            event.stopPropagation();
            if (drag.over !== e) setDrag({ ...drag, over: e, overName: name });
        },
        onDrop: (event: DragEvent) => {
            event.preventDefault();
            event.stopPropagation();
            void move();
        },
    });

    const lines = linesOf(levels.current);
    if (!known) return <State kind="loading" title="Asking for the hierarchy …" />;
    if (error) return <State kind="error" title="There is no hierarchy." >{error.body.text}</State>;
    if (lines.length === 0)
        return <State title="No names, no parents">Entities appear here when they have a name or children.</State>;
    const choose = (index: number) => {
        setCurrent(index);
        const line = lines[index];
        if (line && 'row' in line) selectEntity(line.row.e);
    };
    const onKey = (event: KeyboardEvent) => {
        const line = lines[current];
        if (!line || event.ctrlKey || event.altKey || event.metaKey) return;
        if ('more' in line) {
            if (event.key !== 'Enter' && event.key !== 'ArrowRight') return;
            more(line.level);
        } else if (event.key === 'ArrowRight') {
            if (line.row.children === 0) return;
            if (!line.open) open(line.row.e);
            else choose(current + 1);
        } else if (event.key === 'ArrowLeft') {
            if (line.open) close(line.row.e);
            else {
                const parent = lines.slice(0, current).findLastIndex((held) => held.depth < line.depth);
                if (parent >= 0) choose(parent);
            }
        } else return;
        event.preventDefault();
    };
    return (
        <div class={`tree-rows ${drag?.over === roots ? 'drop' : ''}`} style={{ '--rows': lines.length }} {...target(roots, '')}>
            <VirtualRows
                id="tree"
                role="tree"
                label="Hierarchy"
                count={lines.length}
                rowHeight={24}
                current={current}
                onCurrent={choose}
                onKey={onKey}
                row={(index) => {
                    const line = lines[index];
                    if (!line) return null;
                    if ('more' in line)
                        return (
                            <button type="button" class="more" tabIndex={-1} style={{ paddingLeft: `${line.depth * 14 + 24}px` }} onClick={() => more(line.level)}>
                                {count(line.more)} more …
                            </button>
                        );
                    return (
                        <div
                            class={`tree-drag ${drag?.over === line.row.e ? 'drop' : ''}`}
                            draggable={write}
                            onDragStart={(event) => {
                                event.dataTransfer?.setData('text/plain', line.row.e); // Firefox drags only what has data
                                setDrag({ row: line.row, over: null, overName: '' });
                            }}
                            onDragEnd={() => setDrag(null)}
                            {...target(line.row.e, line.row.name || line.row.e)}
                        >
                            <TreeLine line={line} selected={selected} onToggle={() => (line.open ? close(line.row.e) : open(line.row.e))} />
                        </div>
                    );
                }}
            />
        </div>
    );
}

function TreeLine({ line, selected, onToggle }: { line: Extract<Line, { row: TreeRow }>; selected: Entity | null; onToggle: () => void }) {
    const { row } = line;
    return (
        <div class={`tree-line ${row.e === selected ? 'selected' : ''}`} style={{ paddingLeft: `${line.depth * 14 + 4}px` }} data-e={row.e}>
            {row.children > 0 ? (
                <button
                    type="button"
                    class={`twist ${line.open ? 'open' : ''}`}
                    tabIndex={-1}
                    aria-label={line.open ? 'Close' : 'Open'}
                    onClick={(event) => {
                        event.stopPropagation();
                        onToggle();
                    }}
                >
                    <Icon name="open" />
                </button>
            ) : (
                <span class="twist" />
            )}
            <span class="name">{row.name || <code>{row.e}</code>}</span>
            {row.children > 0 && <span class="dim children">{count(row.children)}</span>}
        </div>
    );
}
