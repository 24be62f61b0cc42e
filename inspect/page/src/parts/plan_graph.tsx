// The plan of the schedule as a graph.

import { useMemo, useState } from 'preact/hooks';
import type { Plan, SystemStats } from '../api.ts';
import { time } from '../format.ts';
import { layOut } from '../layout.ts';
import { hue } from '../theme.ts';
import { Scroll, State } from './basics.tsx';

const box = { width: 136, height: 38, across: 178, down: 50, left: 12, top: 30 };

export function PlanGraph({ plan, stats }: { plan: Plan; stats: readonly SystemStats[] }) {
    const drawing = useMemo(() => layOut(plan), [JSON.stringify(plan)]);
    const [chosen, setChosen] = useState<number | null>(null);
    if (plan.systems.length === 0) return <State title="The schedule has no systems" />;
    const width = drawing.layers * box.across + box.left;
    const height = drawing.rows * box.down + box.top + 4;
    const place = (index: number) => {
        const node = drawing.nodes[index];
        return { x: box.left + (node?.layer ?? 0) * box.across, y: box.top + (node?.row ?? 0) * box.down };
    };
    return (
        <div class="plan">
            <Scroll label="Plan">
                <svg class="graph" viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="group" aria-label="Plan">
                    {drawing.phases.map((phase, i) => (
                        <g key={phase.name} class={`phase ${i % 2 ? 'odd' : ''}`}>
                            <rect x={phase.from * box.across} y={0} width={(phase.to - phase.from + 1) * box.across} height={height} />
                            <text x={phase.from * box.across + box.left} y={17}>
                                {phase.name || 'before the first phase'}
                            </text>
                        </g>
                    ))}
                    {drawing.edges.map((edge) => {
                        const from = place(edge.from);
                        const to = place(edge.to);
                        const active = chosen === edge.from || chosen === edge.to;
                        const x1 = from.x + box.width;
                        const y1 = from.y + box.height / 2;
                        const y2 = to.y + box.height / 2;
                        const bend = Math.max(18, (to.x - x1) / 2);
                        return (
                            <g key={`${edge.from}-${edge.to}`} class={`edge ${active ? 'active' : ''} ${chosen !== null && !active ? 'faint' : ''}`}>
                                <path d={`M${x1} ${y1}C${x1 + bend} ${y1} ${to.x - bend} ${y2} ${to.x - 5} ${y2}`}>
                                    <title>{`${plan.systems[edge.to]?.name} waits for ${plan.systems[edge.from]?.name}: ${edge.why}`}</title>
                                </path>
                                <path class="tip-of-edge" d={`M${to.x - 7} ${y2 - 3.5}L${to.x - 1} ${y2}L${to.x - 7} ${y2 + 3.5}z`} />
                            </g>
                        );
                    })}
                    {plan.systems.map((system, i) => {
                        const at = place(i);
                        const held = stats.find((stat) => stat.name === system.name);
                        const name = system.name.length > 17 ? `${system.name.slice(0, 16)}…` : system.name;
                        const marks = [system.exclusive && 'exclusive', system.split && 'split', system.main_thread && 'main thread'].filter(Boolean).join(', ');
                        const detail = `${held && !held.on ? 'off' : held ? time(held.last) : ''}${marks && ` · ${marks}`}`;
                        const access = `reads ${system.reads.join(', ') || 'nothing'}, writes ${system.writes.join(', ') || 'nothing'}`;
                        return (
                            <g
                                key={system.name}
                                class={`system ${chosen === i ? 'chosen' : ''} ${held && !held.on ? 'off' : ''}`}
                                transform={`translate(${at.x} ${at.y})`}
                                tabIndex={0}
                                role="button"
                                onFocus={() => setChosen(i)}
                                onBlur={() => setChosen(null)}
                                onPointerEnter={() => setChosen(i)}
                                onPointerLeave={() => setChosen(null)}
                            >
                                <desc>{`${name === system.name ? '' : `${system.name} `}${access}`}</desc>
                                <rect width={box.width} height={box.height} rx={4} />
                                <rect class="stripe" width={4} height={box.height} rx={2} fill={hue(i)} />
                                <text x={12} y={16} class="name">
                                    {name}
                                </text>{' '}
                                <text x={12} y={30} class="detail">
                                    {detail}
                                </text>
                            </g>
                        );
                    })}
                </svg>
            </Scroll>
            <Caption plan={plan} chosen={chosen} />
        </div>
    );
}

function Caption({ plan, chosen }: { plan: Plan; chosen: number | null }) {
    const system = chosen === null ? undefined : plan.systems[chosen];
    if (!system) return <p class="caption dim">An arrow: the right one waits for the left one. Point at a system to see why.</p>;
    const waits = plan.edges.filter((edge) => edge.to === chosen);
    return (
        <p class="caption">
            <strong>{system.name}</strong>
            {system.reads.length > 0 && <> reads {system.reads.join(', ')};</>}
            {system.writes.length > 0 && <> writes {system.writes.join(', ')};</>}{' '}
            {waits.length === 0 ? (system.stage > 0 ? 'starts after a sync point.' : 'waits for no other system.') : `waits for ${waits.map((edge) => `${plan.systems[edge.from]?.name} (${edge.why})`).join(', ')}.`}
        </p>
    );
}
