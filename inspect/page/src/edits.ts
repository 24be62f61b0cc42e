// Edits of the world, how to undo them, and the notes that report them.

import { ApiError, post } from './client.ts';
import { Cell } from './store.ts';
import { refreshWorld } from './world.ts';

export interface Note {
    number: number;
    text: string;
    kind: 'done' | 'failed';
    undo?: number;
}

export const notes = new Cell<readonly Note[]>([]);
/** Counts edits, so that views ask again after each. */
export const changes = new Cell(0);

const undos: { undo: number; text: string }[] = [];
const mostUndos = 64; // as many as the server keeps
let numbers = 0;

export function say(text: string, kind: Note['kind'] = 'done', undo?: number): void {
    const note: Note = { number: ++numbers, text, kind, ...(undo === undefined ? {} : { undo }) };
    notes.update((old) => [...old, note].slice(-4));
    setTimeout(() => dismiss(note.number), kind === 'failed' ? 12_000 : 5000);
}

export function dismiss(number: number): void {
    notes.update((old) => old.filter((note) => note.number !== number));
}

export function complain(error: unknown): void {
    if (error instanceof ApiError) say(error.body.text, 'failed');
    else say('The change did not reach the program: the connection is lost.', 'failed');
}

/** Sends an edit, and reports what was done or why it failed. Returns null if it was refused. */
export async function change<T extends object>(path: string, body: object, text: string): Promise<T | null> {
    try {
        const answer = await post<T & { undo?: number | null; left?: number }>(path, body);
        const number = answer.undo ?? undefined;
        if (number !== undefined) undos.push({ undo: number, text });
        if (undos.length > mostUndos) undos.shift();
        say(answer.left ? `${text}; ${answer.left} could not be changed` : text, 'done', number);
        changed();
        return answer;
    } catch (error) {
        complain(error);
        return null;
    }
}

export type Edit = { do: string; e?: string | readonly string[]; [key: string]: unknown };

export function edit(body: Edit, text: string): Promise<{ e?: string } | null> {
    return change('edit', body, text);
}

/** Undoes an edit, or the last one. */
export async function undo(number?: number): Promise<void> {
    const index = number === undefined ? undos.length - 1 : undos.findIndex((held) => held.undo === number);
    const held = undos[index];
    if (!held) {
        if (number === undefined) say('There is nothing to undo.');
        return;
    }
    undos.splice(index, 1);
    notes.update((old) => old.filter((note) => note.undo !== held.undo));
    try {
        const { left } = await post<{ left: number }>('undo', { undo: held.undo });
        say(left ? `Undone: ${held.text}; ${left} had changed since` : `Undone: ${held.text}`);
        changed();
    } catch (error) {
        complain(error);
    }
}

function changed(): void {
    changes.update((n) => n + 1);
    refreshWorld();
}
