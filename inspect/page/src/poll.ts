// Polls endpoints while the page is visible.

import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, get, getBytes, whenOpen, whenVisible } from './client.ts';
import { Cell } from './store.ts';

export interface Answer<T> {
    data: T | null;
    error: ApiError | null;
    /** The path that `data` or `error` is the answer to; "" while there is none. */
    of: string;
    /** Asks at once, rather than when it is due. */
    refresh: () => void;
}

const least = 100; // ms from one request to the next, at 10 Hz

/** The names of all types. A request that was wrong, such as an invalid query, may be valid when they change. */
export const typeNames = new Cell('');

/** A loop with one request in flight at most. It waits while the page is hidden or the connection is lost, and, after a
 * request that was wrong, until it is hurried or there are other types: the answer would be the same. */
export class Loop {
    private ended = false;
    private readonly endOfTypes = typeNames.subscribe(() => this.wrong && this.hurry());
    private wrong = false;
    private wake: (() => void) | null = null;
    private due = false;

    constructor(
        private readonly work: () => Promise<void>,
        private readonly period: () => number,
    ) {
        void this.run();
    }

    end(): void {
        this.ended = true;
        this.endOfTypes();
        this.wake?.();
    }

    /** Asks now; if a request is in flight, right after its answer. */
    hurry(): void {
        this.due = true;
        this.wake?.();
    }

    private async run(): Promise<void> {
        await Promise.resolve();
        while (!this.ended) {
            await whenVisible();
            await whenOpen();
            if (this.ended) return;
            const begun = performance.now();
            this.due = false;
            this.wrong = false;
            try {
                await this.work();
            } catch (error) {
                if (!(error instanceof ApiError)) await this.sleep(250);
                else if (error.status === 429 || error.status === 503) await this.sleep(1000);
                this.wrong = error instanceof ApiError && error.status === 422;
            }
            if (this.ended) return;
            const pause = this.wrong ? Infinity : begun + Math.max(least, this.period()) - performance.now();
            if (!this.due) await this.sleep(pause);
            else await this.sleep(Math.min(pause, 16));
        }
    }

    private sleep(time: number): Promise<void> {
        if (time <= 0) return Promise.resolve();
        return new Promise((resolve) => {
            const timer = time < Infinity ? setTimeout(resolve, time) : undefined;
            this.wake = () => {
                clearTimeout(timer);
                this.wake = null;
                resolve();
            };
        });
    }
}

function useAsked<T>(ask: (path: string) => Promise<T>, path: string | null, period: number): Answer<T> {
    const [state, setState] = useState<Omit<Answer<T>, 'refresh'>>({ data: null, error: null, of: '' });
    const now = useRef({ path, period });
    const loop = useRef<Loop | null>(null);
    now.current = { path, period };
    const active = path !== null;

    useEffect(() => {
        if (!active) return;
        const mine = new Loop(
            async () => {
                const asked = now.current.path;
                if (asked === null) return;
                try {
                    const data = await ask(asked);
                    if (loop.current === mine && now.current.path === asked) setState({ data, error: null, of: asked });
                } catch (error) {
                    if (error instanceof ApiError && loop.current === mine && now.current.path === asked)
                        setState((old) => ({ data: old.of === asked ? old.data : null, error, of: asked }));
                    throw error;
                }
            },
            () => now.current.period,
        );
        loop.current = mine;
        return () => {
            loop.current = null;
            mine.end();
        };
    }, [active]);
    useEffect(() => loop.current?.hurry(), [path]);

    return { ...state, refresh: () => loop.current?.hurry() };
}

/** The answer of an endpoint, asked for every `period` ms; null asks for nothing. */
export function usePoll<T>(path: string | null, period: number): Answer<T> {
    return useAsked<T>(get, path, period);
}

/** The same for endpoints that answer with bytes. */
export function usePollBytes(path: string | null, period: number): Answer<ArrayBuffer> {
    return useAsked(getBytes, path, period);
}

/** A query string of the parameters that are given. */
export function withParams(path: string, params: Record<string, string | number | undefined>): string {
    const given = Object.entries(params).filter(([, value]) => value !== undefined && value !== '');
    if (given.length === 0) return path;
    return `${path}?${given.map(([key, value]) => `${key}=${encodeURIComponent(value as string | number)}`).join('&')}`;
}
