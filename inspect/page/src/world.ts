// What every view needs: figures and types of the world. Polled in one place.

import { useEffect } from 'preact/hooks';
import type { Type, World } from './api.ts';
import { get } from './client.ts';
import { takeSample } from './graphs.ts';
import { Loop, typeNames } from './poll.ts';
import { Cell } from './store.ts';

export const world = new Cell<World | null>(null);
export const types = new Cell<readonly Type[]>([]);
/** Frames in a second, as the page measures them; null until it has two samples. */
export const rate = new Cell<number | null>(null);

export const canWrite = (): boolean => world.value?.write === true;

export function typeNamed(name: string): Type | undefined {
    return types.value.find((type) => type.name === name);
}

const seen: { at: number; frame: number }[] = []; // samples of the last two seconds

function noteFrame(frame: number): void {
    const at = performance.now();
    const last = seen.at(-1);
    if (last && frame < last.frame) seen.length = 0;
    seen.push({ at, frame });
    while (seen.length > 2 && at - (seen[0]?.at ?? at) > 2000) seen.shift();
    const first = seen[0];
    rate.set(first && at - first.at > 300 ? ((frame - first.frame) / (at - first.at)) * 1000 : null);
}

let worldLoop: Loop | null = null;

export function useWorldLoops(): void {
    useEffect(() => {
        worldLoop = new Loop(
            async () => {
                const answer = await get<World>('world');
                noteFrame(answer.frame);
                world.set(answer);
                takeSample(performance.now(), answer, types.value);
            },
            () => 250,
        );
        const typeLoop = new Loop(
            async () => {
                types.set((await get<{ types: Type[] }>('types')).types);
                typeNames.set(types.value.map((type) => type.name).join());
            },
            () => 1000,
        );
        const mine = worldLoop;
        return () => {
            mine.end();
            typeLoop.end();
        };
    }, []);
}

/** Called after a change, so that the top bar shows it at once. */
export function refreshWorld(): void {
    worldLoop?.hurry();
}
