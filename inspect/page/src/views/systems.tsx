// The schedule: its plan, the timeline of threads, and the time of each system.

import { useEffect, useRef } from 'preact/hooks';
import type { Plan, SystemStats } from '../api.ts';
import { change, changes } from '../edits.ts';
import { count, moved, time } from '../format.ts';
import { Panel, Pending, Scroll, State, Switch } from '../parts/basics.tsx';
import { PlanGraph } from '../parts/plan_graph.tsx';
import { Sparkline } from '../parts/sparkline.tsx';
import { TimelineView } from '../parts/timeline.tsx';
import { usePoll } from '../poll.ts';
import { useCell } from '../store.ts';
import { hue } from '../theme.ts';
import { world } from '../world.ts';

const kept = 120;

/** The times of each system, for the runs that the page has seen. */
function useTimes(systems: readonly SystemStats[] | undefined): ReadonlyMap<string, readonly number[]> {
    const held = useRef(new Map<string, { runs: number; times: number[] }>());
    for (const system of systems ?? []) {
        const old = held.current.get(system.name) ?? { runs: -1, times: [] };
        if (system.runs !== old.runs && system.runs > 0) old.times = [...old.times.slice(-(kept - 1)), system.last];
        old.runs = system.runs;
        held.current.set(system.name, old);
    }
    return new Map([...held.current].map(([name, { times }]) => [name, times]));
}

export function SystemsView() {
    const has = useCell(world)?.schedule ?? false;
    const { data, error, refresh } = usePoll<{ systems: SystemStats[] }>(has ? 'systems' : null, 200);
    const plan = usePoll<Plan>(has ? 'plan' : null, 2000);
    const changed = useCell(changes);
    const times = useTimes(data?.systems);
    useEffect(() => {
        refresh();
        plan.refresh();
    }, [changed]);
    if (!has)
        return (
            <State title="There is no schedule to look at">
                Hand it to the inspector: <code>covey_inspect_open(world, &amp;(covey_inspect_desc){'{'} .schedule = schedule {'}'})</code>
            </State>
        );
    if (!data) return <Pending error={error} what="systems" />;
    return (
        <div class="systems-view">
            <Panel title="Plan" class="plan-panel">
                {plan.data ? <PlanGraph plan={plan.data} stats={data.systems} /> : <Pending error={plan.error} what="the plan" />}
            </Panel>
            <Panel title="Timeline" class="timeline-panel">
                <TimelineView names={data.systems.map((system) => system.name)} />
            </Panel>
            <Panel title="Systems" class="systems-panel">
                <Scroll label="Systems">
                    <SystemTable systems={data.systems} times={times} />
                </Scroll>
            </Panel>
        </div>
    );
}

function SystemTable({ systems, times }: { systems: readonly SystemStats[]; times: ReadonlyMap<string, readonly number[]> }) {
    const write = useCell(world)?.write ?? false;
    const moves = systems.some((system) => (system.bytes ?? 0) > 0 || (system.blocked ?? 0) > 0);
    const slowest = Math.max(1, ...systems.map((system) => system.mean));
    return (
        <table class="plain-table" aria-label="Systems">
            <thead>
                <tr>
                    <th scope="col">On</th>
                    <th scope="col">System</th>
                    <th scope="col" class="number">Last</th>
                    <th scope="col" class="number">Mean</th>
                    <th scope="col" class="number">Worst</th>
                    <th scope="col">History</th>
                    <th scope="col" class="number" title="busy time of all threads, by the time from its first piece to its last">Threads</th>
                    <th scope="col" class="number" title="from the sync point before it to its first piece">Waited</th>
                    <th scope="col" class="number">Pieces</th>
                    <th scope="col" class="number">Entities</th>
                    <th scope="col" class="number">Runs</th>
                    {moves && <th scope="col" class="number" title="what it moved the last time, and how long it waited for it">Moved</th>}
                </tr>
            </thead>
            <tbody>
                {systems.map((system, i) => (
                    <tr key={system.name} class={system.on ? '' : 'off'} data-system={system.name}>
                        <td>
                            <Switch
                                label={`${system.on ? 'Switch off' : 'Switch on'} ${system.name}`}
                                on={system.on}
                                disabled={!write}
                                onChange={(on) => void change('systems', { name: system.name, on }, `Switched ${system.name} ${on ? 'on' : 'off'}`)}
                            />
                        </td>
                        <th scope="row">
                            <span class="key" style={{ background: hue(i) }} aria-hidden="true" />
                            {system.name}
                            {system.phase && <span class="dim"> · {system.phase}</span>}
                        </th>
                        <td class="number">{system.runs > 0 ? time(system.last) : '–'}</td>
                        <td class="number mean">
                            <span class="mean-bar" style={{ width: `${(system.mean / slowest) * 100}%` }} aria-hidden="true" />
                            <span>{system.runs > 0 ? time(system.mean) : '–'}</span>
                        </td>
                        <td class="number">{system.runs > 0 ? time(system.worst) : '–'}</td>
                        <td class="history">
                            <Sparkline values={times.get(system.name) ?? []} label={`${system.name} in nanoseconds`} room={kept} />
                        </td>
                        <td class="number">{system.last > 0 ? `${(system.busy / system.last).toFixed(1)} of ${system.threads}` : '–'}</td>
                        <td class="number">{system.runs > 0 ? time(system.waited) : '–'}</td>
                        <td class="number">{count(system.pieces)}</td>
                        <td class="number">{count(system.entities)}</td>
                        <td class="number">{count(system.runs)}</td>
                        {moves && <td class="number">{moved(system.bytes, system.blocked) || '–'}</td>}
                    </tr>
                ))}
            </tbody>
        </table>
    );
}
