// Past states of the world: shows one, compares two, restores one.

import { useEffect, useState } from 'preact/hooks';
import type { Difference, Snapshots } from '../api.ts';
import { change, changes } from '../edits.ts';
import { bytes, count, counted } from '../format.ts';
import { Button, Confirm, EntityLink, Panel, Pending, Scroll, State } from '../parts/basics.tsx';
import { EntityPanel } from '../parts/entity_panel.tsx';
import { EntityTable, useColumns, useSort } from '../parts/entity_table.tsx';
import { QueryBox } from '../parts/query_box.tsx';
import { run } from '../parts/top_bar.tsx';
import { usePoll, withParams } from '../poll.ts';
import { route, selectEntity } from '../route.ts';
import { useRows } from '../rows.ts';
import { useCell } from '../store.ts';
import { world } from '../world.ts';

type Snapshot = Snapshots['snapshots'][number];

export function TimeView() {
    const about = useCell(world);
    const { data, error, refresh } = usePoll<Snapshots>(about?.history ? 'time' : null, 250);
    const changed = useCell(changes);
    useEffect(refresh, [changed]);
    if (!about?.history)
        return (
            <State title="There is no history to look at">
                Hand one to the inspector: <code>covey_inspect_open(world, &amp;(covey_inspect_desc){'{'} .history = history {'}'})</code>
            </State>
        );
    if (!data) return <Pending error={error} what="the history" />;
    if (data.snapshots.length === 0) return <State title="No snapshot yet">One appears each time the program calls covey_history_save.</State>;
    return <States time={data} />;
}

/** A state is selected by its number, which does not change. New snapshots move it back, until the history drops it. */
function States({ time }: { time: Snapshots }) {
    const [number, setNumber] = useState(() => Math.max(...time.snapshots.map((state) => state.number)));
    const [tick, setTick] = useState(0); // of the selected state, to show after it was dropped
    const [compare, setCompare] = useState<number | null>(null);
    const [asking, setAsking] = useState(false);
    const write = useCell(world)?.write ?? false;
    const states = [...time.snapshots].sort((a, b) => b.back - a.back); // the oldest first
    const newest = states.at(-1) as Snapshot;
    const found = states.find((state) => state.number === number);
    const chosen = found ?? (states[0] as Snapshot);
    useEffect(() => {
        if (found) setTick(found.tick);
    }, [found?.tick]);
    const other = compare === null ? null : (states.find((state) => state.number === compare) ?? null);
    const at = states.indexOf(chosen);
    const goBack = async () => {
        setAsking(false);
        await change('time', { number: chosen.number }, `Went back to tick ${count(chosen.tick)}`);
    };
    return (
        <div class="time-view">
            <Panel
                title="Snapshots"
                class="slider-panel"
                actions={
                    <span class="dim">
                        {count(states.length)} of {count(time.capacity)}
                        {time.bytes !== undefined ? ` · ${bytes(time.bytes)}` : ''}
                    </span>
                }
            >
                <div class="time-slider">
                    <StateBars states={states} chosen={at} compared={other ? states.indexOf(other) : -1} onChoose={(i) => setNumber(states[i]?.number ?? newest.number)} />
                    <input type="range" min={0} max={states.length - 1} value={at} aria-label="Past state" aria-valuetext={`tick ${chosen.tick}, ${chosen.back} back`} onInput={(event) => setNumber(states[Number(event.currentTarget.value)]?.number ?? newest.number)} />
                    <div class="time-facts">
                        <span>
                            <strong data-number="tick">tick {count(chosen.tick)}</strong>
                            <span class="dim"> · {chosen.back === 0 ? 'the newest snapshot' : `${count(chosen.back)} before the newest`}</span>
                        </span>
                        <span>{counted(chosen.entities, 'entity', 'entities')}</span>
                        <span class="spacer" />
                        <Button label="Newest" disabled={number === newest.number} onClick={() => setNumber(newest.number)} />
                        <label class="axis">
                            <span class="dim">Compare with</span>
                            <select value={other ? String(other.number) : ''} aria-label="Compare with" onChange={(event) => {
                                const text = event.currentTarget.value;
                                setCompare(text === '' ? null : Number(text));
                            }}>
                                <option value="">nothing</option>
                                {states.map((state) => (
                                    <option key={state.number} value={String(state.number)} disabled={state === chosen}>
                                        tick {state.tick}, {state.back} back
                                    </option>
                                ))}
                            </select>
                        </label>
                        <Button label="Go back to it" kind="danger" icon="undo" disabled={!write || !found} title={write ? 'Gives the world this state' : 'The inspector is read-only'} onClick={() => setAsking(true)} />
                    </div>
                </div>
            </Panel>
            {!found ? (
                <Gone tick={tick} capacity={time.capacity} onNewest={() => setNumber(newest.number)} />
            ) : other ? <Comparison key={`${other.number} ${chosen.number}`} a={other} b={chosen} /> : <PastState snapshot={chosen} />}
            {asking && (
                <Confirm
                    title={`Go back to tick ${count(chosen.tick)}?`}
                    text={`The world gets this state, and ${chosen.back === 0 ? 'what happened since is lost' : `${chosen.back === 1 ? 'the snapshot' : `the ${count(chosen.back)} snapshots`} behind it ${chosen.back === 1 ? 'is' : 'are'} dropped`}. This cannot be undone.`}
                    yes="Go back"
                    onYes={() => void goBack()}
                    onNo={() => setAsking(false)}
                />
            )}
        </div>
    );
}

function Gone({ tick, capacity, onNewest }: { tick: number; capacity: number; onNewest: () => void }) {
    const paused = useCell(world)?.paused ?? false;
    return (
        <Panel title={`Tick ${count(tick)}`}>
            <State title="This snapshot is gone">
                The history keeps the last {count(capacity)}, and newer ones came. <button type="button" class="link" onClick={onNewest}>Look at the newest</button>
                {!paused && (
                    <>
                        {' '}
                        or <button type="button" class="link" onClick={() => void run({ paused: true }).then(onNewest)}>pause the program</button>
                    </>
                )}
                .
            </State>
        </Panel>
    );
}

function StateBars(props: { states: readonly Snapshot[]; chosen: number; compared: number; onChoose: (index: number) => void }) {
    const most = Math.max(1, ...props.states.map((state) => state.entities));
    const width = 100 / props.states.length;
    return (
        <svg class="state-bars" viewBox="0 0 100 40" preserveAspectRatio="none" aria-hidden="true">
            {props.states.map((state, i) => (
                <g key={state.number} class={i === props.chosen ? 'chosen' : i === props.compared ? 'compared' : ''} onClick={() => props.onChoose(i)}>
                    <rect class="hit" x={i * width} y={0} width={width} height={40} />
                    <rect x={i * width + width * 0.1} y={40 - (state.entities / most) * 36} width={width * 0.8} height={(state.entities / most) * 36} />
                </g>
            ))}
        </svg>
    );
}

function PastState({ snapshot }: { snapshot: Snapshot }) {
    const { number, tick } = snapshot;
    const { params } = useCell(route);
    const [query, setQuery] = useState('');
    const columns = useColumns(query);
    const [sort, setSort] = useSort(columns);
    const rows = useRows({ path: 'time/entities', params: { number, query, columns: columns.join(','), sort } });
    const selected = params.e ?? null;
    return (
        <div class={`past ${selected ? '' : 'no-entity'}`}>
            <Panel title={`Entities at tick ${count(tick)}`} class="past-table" actions={<span class="dim">{rows.known ? `${count(rows.count)} entities` : ''}</span>}>
                <QueryBox query={query} error={rows.error?.status === 422 ? rows.error.body : null} onQuery={setQuery} />
                <EntityTable rows={rows} columns={columns} selected={selected} sort={sort} onSort={setSort} label="Entities of the past state" empty={<State title="No entity matches" />} />
            </Panel>
            {selected && (
                <aside class="entity-pane" aria-label="Selected entity">
                    <EntityPanel key={`${selected} ${number}`} e={selected} snapshot={number} onClose={() => selectEntity(null)} />
                </aside>
            )}
        </div>
    );
}

function Comparison({ a, b }: { a: Snapshot; b: Snapshot }) {
    const older = a.back > b.back ? a : b;
    const newer = a.back > b.back ? b : a;
    const { data, error } = usePoll<Difference>(withParams('time/diff', { a: older.back, b: newer.back }), 1000);
    return (
        <Panel title={`From tick ${count(older.tick)} to tick ${count(newer.tick)}`} class="comparison">
            {!data ? (
                <Pending error={error} what="the difference" />
            ) : (
                <Scroll label="Differences" class="comparison-parts">
                    <dl class="difference-numbers">
                        <div class="added"><dt>came</dt><dd>{count(data.added)}</dd></div>
                        <div class="removed"><dt>went</dt><dd>{count(data.removed)}</dd></div>
                        <div class="changed"><dt>changed</dt><dd>{count(data.changed)}</dd></div>
                    </dl>
                    <table class="plain-table" aria-label="Differences by type">
                        <thead>
                            <tr>
                                <th scope="col">Type</th>
                                <th scope="col" class="number">added</th>
                                <th scope="col" class="number">removed</th>
                                <th scope="col" class="number">changed</th>
                            </tr>
                        </thead>
                        <tbody>
                            {data.types.map((type) => (
                                <tr key={type.type}>
                                    <th scope="row">{type.type}</th>
                                    <td class="number">{count(type.added)}</td>
                                    <td class="number">{count(type.removed)}</td>
                                    <td class="number">{count(type.changed)}</td>
                                </tr>
                            ))}
                        </tbody>
                    </table>
                    <table class="plain-table" aria-label="Entities that differ">
                        <thead>
                            <tr>
                                <th scope="col">Entity</th>
                                <th scope="col">What</th>
                                <th scope="col">Components</th>
                            </tr>
                        </thead>
                        <tbody>
                            {data.rows.map((row) => (
                                <tr key={row.e}>
                                    <th scope="row">
                                        <EntityLink e={row.e} name={row.name} view="entities" />
                                    </th>
                                    <td>{row.what}</td>
                                    <td>{[...(row.types ?? []), ...(row.also ?? [])].join(', ')}</td>
                                </tr>
                            ))}
                        </tbody>
                    </table>
                </Scroll>
            )}
        </Panel>
    );
}
