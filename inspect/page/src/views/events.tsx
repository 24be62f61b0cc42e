// Counts and times over minutes, events for each second, and the log of failed calls.

import { type Kind, kinds, ratesOf } from '../rates.ts';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { EventSeconds, LogLines } from '../api.ts';
import { get } from '../client.ts';
import { count } from '../format.ts';
import { Button, Panel, Pending, Scroll, State } from '../parts/basics.tsx';
import { LongGraph } from '../parts/long_graph.tsx';
import { Sparkline } from '../parts/sparkline.tsx';
import { Loop, usePoll, withParams } from '../poll.ts';
import { Cell, useCell } from '../store.ts';

export function EventsView() {
    return (
        <div class="events-view">
            <LongGraph />
            <RatesPanel />
            <LogPanel />
        </div>
    );
}

function RatesPanel() {
    const { data, error } = usePoll<EventSeconds>('events', 500);
    const rates = data ? ratesOf(data) : [];
    return (
        <Panel title="Changes per second" class="rates" actions={data && <span class="dim">{data.seconds.length === 1 ? 'the last second' : `the last ${count(data.seconds.length)} seconds`}</span>}>
            {!data ? (
                <Pending error={error} what="events" />
            ) : rates.length === 0 ? (
                <State title="Nothing was added, set or removed">The page listens from now on. Writing to a value in place is no event; setting one is.</State>
            ) : (
                <Scroll label="Changes per second">
                    <table class="plain-table" aria-label="Changes per second">
                        <thead>
                            <tr>
                                <th scope="col">Type</th>
                                {kinds.map((kind) => (
                                    <th scope="col" key={kind} colSpan={2}>
                                        <span class={`key event-${kind}`} aria-hidden="true" />
                                        {kind}
                                    </th>
                                ))}
                            </tr>
                        </thead>
                        <tbody>
                            {rates.map((row) => (
                                <tr key={row.type} data-type={row.type}>
                                    <th scope="row">{row.type}</th>
                                    {kinds.map((kind) => (
                                        <RateCells key={kind} kind={kind} type={row.type} {...row.kinds[kind]} />
                                    ))}
                                </tr>
                            ))}
                        </tbody>
                    </table>
                </Scroll>
            )}
        </Panel>
    );
}

function RateCells(props: { kind: Kind; type: string; last: number; all: number[]; sum: number }) {
    if (props.sum === 0)
        return (
            <>
                <td class="number dim">–</td>
                <td />
            </>
        );
    return (
        <>
            <td class="number" title={`${count(props.sum)} in all`}>
                {count(props.last)}
            </td>
            <td class={`rate-line event-${props.kind}`}>
                <Sparkline values={props.all} label={`${props.type} ${props.kind} per second`} room={Math.max(props.all.length, 30)} />
            </td>
        </>
    );
}

type Line = LogLines['lines'][number];
const mostLines = 1000;
const lines = new Cell<readonly Line[]>([]);
let newest: number | undefined;
let cleared = 0; // lines up to this number are hidden

function mergeLines(old: readonly Line[], more: readonly Line[]): readonly Line[] {
    const fresh = more.filter((line) => line.number > cleared);
    const first = fresh[0];
    return first ? [...old.filter((line) => line.number < first.number), ...fresh].slice(-mostLines) : old;
}

function clearLines(): void {
    cleared = newest ?? 0;
    lines.set([]);
}


function LogPanel() {
    const shown = useCell(lines);
    const [known, setKnown] = useState(false);
    const [filter, setFilter] = useState('');
    const end = useRef<HTMLDivElement>(null);
    useEffect(() => {
        const loop = new Loop(
            async () => {
                // Requests the last line again: its count may have grown.
                const answer = await get<LogLines>(withParams('log', { since: newest === undefined ? undefined : newest - 1 }));
                setKnown(true);
                newest = answer.lines.at(-1)?.number ?? newest;
                lines.update((old) => mergeLines(old, answer.lines));
            },
            () => 500,
        );
        return () => loop.end();
    }, []);
    useEffect(() => {
        const box = end.current;
        if (box && box.scrollHeight - box.scrollTop - box.clientHeight < 80) box.scrollTop = box.scrollHeight;
    }, [shown]);
    const wanted = filter.toLowerCase();
    const matching = shown.filter((line) => `${line.code} ${line.text}`.toLowerCase().includes(wanted));
    return (
        <Panel
            title="Calls that failed"
            class="log"
            actions={
                <>
                    <input type="search" class="filter" aria-label="Filter the log" placeholder="Filter" value={filter} onInput={(event) => setFilter(event.currentTarget.value)} />
                    <Button label="Clear" disabled={shown.length === 0} onClick={clearLines} />
                </>
            }
        >
            {matching.length === 0 ? (
                <State title={!known ? 'Asking for the log …' : shown.length > 0 ? 'No line matches' : 'No call has failed'} kind={known ? 'empty' : 'loading'} />
            ) : (
                <div class="scroll log-lines" ref={end} role="log" aria-label="Calls that failed" tabIndex={0}>
                    {matching.map((line) => (
                        <div class="log-line" key={line.number}>
                            <span class="dim frame" title="frame">
                                {count(line.frame)}
                            </span>
                            <span class="code">{line.code}</span>
                            <span class="text">
                                {line.text}
                                {(line.times ?? 1) > 1 && <span class="badge">{count(line.times ?? 1)} times</span>}
                            </span>
                        </div>
                    ))}
                </div>
            )}
        </Panel>
    );
}
