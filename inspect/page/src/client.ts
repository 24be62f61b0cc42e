// The connection to the server: its token, its state, and requests.

import type { ErrorBody } from './api.ts';
import { Cell } from './store.ts';

/** lost: the server does not answer, and the page tries again. denied: the server does not accept the token. */
export type Link =
    | { state: 'connecting' }
    | { state: 'open' }
    | { state: 'lost'; why: string; again: number; attempt: number }
    | { state: 'denied' };

export class ApiError extends Error {
    constructor(
        readonly status: number,
        readonly body: ErrorBody,
    ) {
        super(body.text);
    }
}

const patience = 10_000; // ms until a request counts as lost: the program may be at a breakpoint
const delays = [500, 1000, 2000, 4000, 8000];

export const link = new Cell<Link>({ state: 'connecting' });
/** How long the oldest request has been waiting, in ms; 0 if it is too short to be shown. */
export const waiting = new Cell(0);

let token = '';
let retry: ReturnType<typeof setTimeout> | undefined;

/** Starts to measure how long requests wait. */
export function watchRequests(): void {
    setInterval(() => {
        const age = performance.now() - Math.min(...asked.values());
        waiting.set(age > 1500 ? Math.floor(age / 500) * 500 : 0);
    }, 500);
}

/** Removes the token from the address, where it would be visible, and stores it for this tab. */
export function takeToken(): void {
    const found = /^#token=([0-9a-fA-F]+)(?:&(.*))?$/.exec(location.hash);
    if (found?.[1]) {
        token = found[1];
        sessionStorage.setItem('covey.token', token);
        history.replaceState(null, '', `#${found[2] ?? '/entities'}`);
    } else {
        token = sessionStorage.getItem('covey.token') ?? '';
    }
}

export function get<T>(path: string): Promise<T> {
    return request(path, { method: 'GET' }, (response) => response.json() as Promise<T>);
}

export function getBytes(path: string): Promise<ArrayBuffer> {
    return request(path, { method: 'GET' }, (response) => response.arrayBuffer());
}

export function post<T>(path: string, body: unknown): Promise<T> {
    const init = { method: 'POST', body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } };
    return request(path, init, (response) => response.json() as Promise<T>);
}

const asked = new Map<number, number>(); // pending requests: number and start time
let requests = 0;

const queues = new Map<string, Promise<unknown>>(); // by endpoint: resolves when its last request has ended

/** One request at a time for each endpoint: the next one starts when the last one has failed, or its answer was read. */
function request<T>(path: string, init: RequestInit & { headers?: Record<string, string> }, read: (response: Response) => Promise<T>): Promise<T> {
    const endpoint = `${init.method} ${path.replace(/\?.*/, '')}`;
    const before = queues.get(endpoint) ?? Promise.resolve();
    const mine = before.then(() => send(path, init)).then(read);
    queues.set(
        endpoint,
        mine.catch(() => undefined),
    );
    return mine;
}

async function send(path: string, init: RequestInit & { headers?: Record<string, string> }): Promise<Response> {
    const number = requests++;
    asked.set(number, performance.now());
    let response: Response;
    try {
        response = await fetch(`api/v1/${path}`, {
            ...init,
            headers: { ...init.headers, Authorization: `Bearer ${token}` },
            signal: AbortSignal.timeout(patience),
            cache: 'no-store',
        });
    } catch (error) {
        const slow = error instanceof DOMException && error.name === 'TimeoutError';
        lose(slow ? 'The program does not answer. Is it stopped in a debugger?' : 'The program has ended, or cannot be reached.');
        throw error;
    } finally {
        asked.delete(number);
    }
    const refused = response.ok ? null : await failure(response);
    if (refused && (refused.status === 401 || refused.body.code === 'HOST' || refused.body.code === 'ORIGIN')) link.set({ state: 'denied' });
    else if (link.value.state !== 'open') link.set({ state: 'open' });
    if (refused) throw refused;
    return response;
}

async function failure(response: Response): Promise<ApiError> {
    const fallback = { code: String(response.status), text: response.statusText || `status ${response.status}` };
    try {
        const { error } = (await response.json()) as { error?: ErrorBody };
        return new ApiError(response.status, error ?? fallback);
    } catch {
        return new ApiError(response.status, fallback);
    }
}

function lose(why: string): void {
    if (retry !== undefined) return;
    const attempt = link.value.state === 'lost' ? link.value.attempt + 1 : 0;
    const delay = (delays[Math.min(attempt, delays.length - 1)] ?? 8000) * (0.85 + 0.3 * Math.random());
    link.set({ state: 'lost', why, again: performance.now() + delay, attempt });
    retry = setTimeout(reconnect, delay);
}

/** Tries again now. A success restores the connection; after a failure, the next wait is longer. */
export function reconnect(): void {
    clearTimeout(retry);
    retry = undefined;
    get('world').catch(() => undefined);
}

/** Resolves when the connection is restored. */
export function whenOpen(): Promise<void> {
    return new Promise((resolve) => {
        const open = () => link.value.state === 'open' || link.value.state === 'connecting';
        if (open()) return resolve();
        const end = link.subscribe(() => {
            if (!open()) return;
            end();
            resolve();
        });
    });
}

/** Resolves when the page can be seen. */
export function whenVisible(): Promise<void> {
    return new Promise((resolve) => {
        if (!document.hidden) return resolve();
        const look = () => {
            if (document.hidden) return;
            document.removeEventListener('visibilitychange', look);
            resolve();
        };
        document.addEventListener('visibilitychange', look);
    });
}
