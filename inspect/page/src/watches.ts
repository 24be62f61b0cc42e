// Watched values, and their last samples, as long as the page is open.

import { useEffect } from 'preact/hooks';
import type { Entity } from './api.ts';
import { get } from './client.ts';
import { Loop, withParams } from './poll.ts';
import { keptCell, Cell } from './store.ts';

export interface Watch {
    e: Entity;
    /** "Position.x". */
    path: string;
}

export const samplesKept = 150; // 15 seconds at 10 Hz
const most = 24;

export const watches = keptCell<readonly Watch[]>('covey.watches', [], sessionStorage);
/** By key of the watch; the newest value is the last. */
export const samples = new Cell<ReadonlyMap<string, readonly (number | null)[]>>(new Map());

export const keyOf = ({ e, path }: Watch): string => `${e}.${path}`;

export function isWatched(watch: Watch): boolean {
    return watches.value.some((held) => keyOf(held) === keyOf(watch));
}

export function toggleWatch(watch: Watch): void {
    if (isWatched(watch)) watches.update((old) => old.filter((held) => keyOf(held) !== keyOf(watch)));
    else watches.update((old) => [...old, { e: watch.e, path: watch.path }].slice(-most));
}

async function sample(): Promise<void> {
    const asked = watches.value;
    if (asked.length === 0) return;
    const { values } = await get<{ values: (number | string | null)[] }>(withParams('values', { watch: asked.map(keyOf).join(',') }));
    const next = new Map<string, readonly (number | null)[]>();
    asked.forEach((watch, i) => {
        const value = values[i] ?? null;
        const old = samples.value.get(keyOf(watch)) ?? [];
        next.set(keyOf(watch), [...old.slice(-(samplesKept - 1)), value === null ? null : Number(value)]);
    });
    samples.set(next);
}

export function useWatchLoop(): void {
    useEffect(() => {
        const loop = new Loop(sample, () => (watches.value.length > 0 ? 100 : 500));
        const end = watches.subscribe(() => loop.hurry());
        return () => {
            end();
            loop.end();
        };
    }, []);
}
