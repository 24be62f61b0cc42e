// Counts and times over the last minutes, sampled once a second while the page is visible.

import type { Type, World } from './api.ts';
import { Cell } from './store.ts';

export interface Sample {
    /** In ms, from the opening of the page. */
    at: number;
    entities: number;
    bytes: number;
    /** Of a frame, in nanoseconds; 0: not known. */
    time: number;
    /** Components by the name of their type. */
    counts: ReadonlyMap<string, number>;
}

const period = 1000; // ms
const kept = 1800; // half an hour

export const samples = new Cell<readonly Sample[]>([]);

/** Keeps a sample, if the last one is old enough. */
export function takeSample(at: number, world: World, types: readonly Type[]): void {
    const last = samples.value.at(-1);
    if (last && at - last.at < period - 50) return;
    const counts = new Map(types.filter((type) => !type.internal).map((type) => [type.name, type.count]));
    samples.set([...samples.value.slice(-(kept - 1)), { at, entities: world.entities, bytes: world.bytes, time: world.time, counts }]);
}

export const figures = ['entities', 'memory', 'frame time'] as const;
export type Figure = (typeof figures)[number];
/** A figure of the world, or the count of a type. */
export type Series = { figure: Figure } | { type: string };

export function valueOf(sample: Sample, series: Series): number | null {
    if ('type' in series) return sample.counts.get(series.type) ?? null;
    if (series.figure === 'entities') return sample.entities;
    if (series.figure === 'memory') return sample.bytes;
    return sample.time > 0 ? sample.time : null;
}

/** A range of values with room above and below, which begins at 0 if that is near. */
export function rangeOf(values: readonly number[]): { low: number; high: number } {
    if (values.length === 0) return { low: 0, high: 1 };
    let low = Infinity;
    let high = -Infinity;
    for (const value of values) {
        low = Math.min(low, value);
        high = Math.max(high, value);
    }
    const room = Math.max((high - low) * 0.1, high * 0.001, Number.EPSILON);
    const near = low <= (high - low) * 2;
    return { low: near ? 0 : low - room, high: high + room };
}
