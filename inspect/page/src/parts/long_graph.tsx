// A count or a time over the last half hour.

import { useState } from 'preact/hooks';
import { bytes, count, time } from '../format.ts';
import { type Figure, figures, rangeOf, samples, type Series, valueOf } from '../graphs.ts';
import { keptCell, useCell } from '../store.ts';
import { colour } from '../theme.ts';
import { types } from '../world.ts';
import { Panel, State } from './basics.tsx';
import { Canvas, type Surface } from './canvas.tsx';

const edge = { left: 8, right: 8, top: 16, bottom: 18 };
const chosen = keptCell<Series>('covey.graph', { figure: 'entities' }, sessionStorage);

const print = (value: number, series: Series): string => ('type' in series || series.figure === 'entities' ? count(Math.round(value)) : series.figure === 'memory' ? bytes(Math.round(value)) : time(value));

const nameOf = (series: Series): string => ('type' in series ? series.type : series.figure);

const ago = (ms: number): string => (ms < 60_000 ? `${Math.round(ms / 1000)} s ago` : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s ago`);

export function LongGraph() {
    const series = useCell(chosen);
    const known = useCell(types).filter((type) => !type.internal);
    const held = useCell(samples);
    const [pointer, setPointer] = useState<{ x: number; width: number } | null>(null);
    const points = held.flatMap((sample) => {
        const value = valueOf(sample, series);
        return value === null ? [] : [{ at: sample.at, value }];
    });
    const last = points.at(-1);
    const begin = points[0]?.at ?? 0;
    const length = Math.max(60_000, (last?.at ?? 0) - begin);
    const { low, high } = rangeOf(points.map((point) => point.value));
    const xOf = (at: number, width: number) => edge.left + ((at - begin) / length) * (width - edge.left - edge.right);
    const near = pointer && points.length > 0 ? points.reduce((best, point) => (Math.abs(xOf(point.at, pointer.width) - pointer.x) < Math.abs(xOf(best.at, pointer.width) - pointer.x) ? point : best)) : null;

    const draw = ({ context, width, height }: Surface) => {
        const yOf = (value: number) => height - edge.bottom - ((value - low) / (high - low)) * (height - edge.top - edge.bottom);
        context.font = '11px system-ui, sans-serif';
        context.textBaseline = 'middle';
        for (const part of [0, 0.5, 1]) {
            const y = Math.round(yOf(low + (high - low) * part)) + 0.5;
            context.strokeStyle = colour('line');
            context.beginPath();
            context.moveTo(edge.left, y);
            context.lineTo(width - edge.right, y);
            context.stroke();
            context.fillStyle = colour('dim');
            context.fillText(print(low + (high - low) * part, series), edge.left + 2, y - 7);
        }
        const minutes = Math.round(length / 60_000);
        context.fillText(minutes === 1 ? 'the last minute' : `the last ${minutes} minutes`, edge.left + 2, height - 8);
        context.strokeStyle = colour('accent');
        context.lineWidth = 1.5;
        context.beginPath();
        points.forEach((point, i) => {
            const before = points[i - 1];
            const x = xOf(point.at, width);
            if (!before || point.at - before.at > 5000) context.moveTo(x, yOf(point.value)); // the page was hidden: a gap
            else context.lineTo(x, yOf(point.value));
        });
        context.stroke();
        if (!near) return;
        context.fillStyle = colour('accent');
        context.beginPath();
        context.arc(xOf(near.at, width), yOf(near.value), 3.5, 0, 7);
        context.fill();
    };
    const choose = (text: string) => {
        const figure = figures.find((name) => name === text);
        chosen.set(figure ? { figure } : { type: text.slice(1) });
    };
    return (
        <Panel
            title="Counts and times"
            class="long-graph"
            actions={
                <>
                    <span class="dim" data-number="graph">
                        {near && last ? `${print(near.value, series)}, ${ago(last.at - near.at)}` : last ? print(last.value, series) : ''}
                    </span>
                    <select aria-label="Shown in the graph" value={'type' in series ? `:${series.type}` : series.figure} onChange={(event) => choose(event.currentTarget.value)}>
                        {figures.map((name: Figure) => (
                            <option key={name} value={name}>
                                {name}
                            </option>
                        ))}
                        {known.map((type) => (
                            <option key={type.name} value={`:${type.name}`}>
                                {type.name}
                            </option>
                        ))}
                    </select>
                </>
            }
        >
            {points.length < 2 ? (
                <State kind="loading" title="A sample is taken every second …" />
            ) : (
                <div class="drawing">
                    <Canvas
                        label={`${nameOf(series)} over the last half hour: from ${print(Math.min(...points.map((point) => point.value)), series)} to ${print(Math.max(...points.map((point) => point.value)), series)}`}
                        draw={draw}
                        onPointerMove={(event) => setPointer({ x: event.offsetX, width: (event.currentTarget as HTMLElement).clientWidth })}
                        onPointerLeave={() => setPointer(null)}
                    />
                </div>
            )}
        </Panel>
    );
}
