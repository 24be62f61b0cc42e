// The rows of a query. Keeps only rows that are visible, or near visible ones.

import { useEffect, useRef, useState } from 'preact/hooks';
import type { EntityRow, EntityRows } from './api.ts';
import { ApiError, get } from './client.ts';
import { changes } from './edits.ts';
import { Loop, withParams } from './poll.ts';

const around = 40; // rows that are requested before and after the visible ones
const mostKept = 2000;
const mostAsked = 500;
const restOfSorted = 5; // a sorted list looks at all matches: ask less often, by this many times as long as an answer took

export interface Rows {
    count: number;
    /** Whether the server has counted all matches; otherwise `count` still grows. */
    complete: boolean;
    scanned: number;
    known: boolean;
    error: ApiError | null;
    row: (index: number) => EntityRow | undefined;
    want: (first: number, last: number) => void;
}

export interface Source {
    path: string;
    params: Record<string, string | number | undefined>;
}

interface Held {
    key: string;
    rows: Map<number, EntityRow>;
    first: number;
    last: number;
    loop: Loop | null;
}

export function useRows(source: Source): Rows {
    const key = withParams(source.path, source.params);
    const held = useRef<Held>({ key, rows: new Map(), first: 0, last: 50, loop: null });
    const now = useRef(source);
    const [answer, setAnswer] = useState<Omit<EntityRows, 'rows' | 'offset'> & { of: string; error: ApiError | null }>({
        count: 0,
        complete: false,
        scanned: 0,
        of: '',
        error: null,
    });
    const spent = useRef(0); // ms that the last answer took
    now.current = source;
    const mine = held.current;
    if (mine.key !== key) {
        mine.key = key;
        mine.rows = new Map();
    }

    useEffect(() => {
        const loop = new Loop(
            async () => {
                const begun = performance.now();
                await ask(mine, now.current, setAnswer);
                spent.current = performance.now() - begun;
            },
            () => (now.current.params.sort ? Math.max(200, spent.current * restOfSorted) : 200),
        );
        mine.loop = loop;
        const end = changes.subscribe(() => loop.hurry());
        return () => {
            end();
            loop.end();
        };
    }, []);
    useEffect(() => mine.loop?.hurry(), [key]);

    return {
        count: answer.count,
        complete: answer.complete,
        scanned: answer.scanned,
        known: answer.of !== '',
        error: answer.of === key ? answer.error : null,
        row: (index) => mine.rows.get(index),
        want: (first, last) => {
            const missing = !mine.rows.has(first) || !mine.rows.has(Math.max(first, last - 1));
            mine.first = first;
            mine.last = last;
            if (missing) mine.loop?.hurry();
        },
    };
}

type Setter = (change: (old: Omit<EntityRows, 'rows' | 'offset'> & { of: string; error: ApiError | null }) => typeof old) => void;

async function ask(held: Held, source: Source, set: Setter): Promise<void> {
    const key = held.key;
    const offset = Math.max(0, held.first - around);
    const limit = Math.min(mostAsked, held.last + around - offset);
    try {
        const answer = await get<EntityRows>(withParams(source.path, { ...source.params, offset, limit }));
        if (held.key !== key) return;
        if (held.rows.size > mostKept) held.rows = new Map();
        answer.rows.forEach((row, i) => held.rows.set(answer.offset + i, row));
        set(() => ({ count: answer.count, complete: answer.complete, scanned: answer.scanned, of: key, error: null }));
    } catch (error) {
        if (error instanceof ApiError && held.key === key) set((old) => ({ ...old, of: key, error }));
        throw error;
    }
}
