// Numbers and values as text.

import type { Entity, Value } from './api.ts';

const grouped = new Intl.NumberFormat('en-US');

export function count(n: number): string {
    return grouped.format(n);
}

/** "1 frame", "2 frames". */
export function counted(n: number, one: string, several = `${one}s`): string {
    return `${count(n)} ${n === 1 ? one : several}`;
}

export function bytes(n: number): string {
    if (n < 1000) return `${n} B`;
    const units = ['KB', 'MB', 'GB', 'TB'];
    let unit = -1;
    let value = n;
    do {
        value /= 1000;
        unit++;
    } while (value >= 999.5 && unit < units.length - 1);
    return `${value < 10 ? value.toFixed(2) : value < 100 ? value.toFixed(1) : value.toFixed(0)} ${units[unit]}`;
}

/** Nanoseconds. */
export function time(ns: number): string {
    if (!Number.isFinite(ns)) return '–';
    if (ns < 1000) return `${ns.toFixed(0)} ns`;
    if (ns < 1e6) return `${short(ns / 1e3)} µs`;
    if (ns < 1e9) return `${short(ns / 1e6)} ms`;
    return `${short(ns / 1e9)} s`;
}

/** A mark of an axis, with as many digits as its step needs. */
export function timeMark(ns: number, step: number): string {
    const [unit, name] = ([[1e9, 's'], [1e6, 'ms'], [1e3, 'µs']] as const).find(([size]) => Math.abs(ns) >= size) ?? [1, 'ns'];
    return `${(ns / unit).toFixed(Math.max(0, Math.ceil(Math.log10(unit / step) - 1e-9)))} ${name}`;
}

function short(n: number): string {
    return n < 10 ? n.toFixed(2) : n < 100 ? n.toFixed(1) : n.toFixed(0);
}

/** The bytes that a system reports as moved, and the time that it was blocked; empty if it reports nothing. */
export function moved(n = 0, blocked = 0): string {
    return [n > 0 && bytes(n), blocked > 0 && `blocked ${time(blocked)}`].filter(Boolean).join(', ');
}

/** A float with the digits that are useful in a table. */
export function float(n: number): string {
    if (Number.isInteger(n) && Math.abs(n) < 1e15) return String(n);
    const size = Math.abs(n);
    if (size >= 1e7 || size < 1e-3) return n.toExponential(3);
    return String(Number(n.toPrecision(6)));
}

export function percent(part: number, whole: number): string {
    if (whole === 0) return '–';
    const ratio = (part / whole) * 100;
    return `${ratio < 10 ? ratio.toFixed(1) : ratio.toFixed(0)} %`;
}

/** A value in one line. */
export function value(v: Value | undefined, most = 60): string {
    const text = whole(v);
    return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

function whole(v: Value | undefined): string {
    if (v === undefined) return '';
    if (v === null) return 'null';
    if (typeof v === 'number') return float(v);
    if (typeof v === 'string') return v;
    if (typeof v === 'boolean') return v ? 'true' : 'false';
    if (Array.isArray(v)) return `[${v.slice(0, 32).map(whole).join(', ')}${v.length > 32 ? ', …' : ''}]`;
    return `{${Object.entries(v)
        .map(([key, held]) => `${key}: ${whole(held)}`)
        .join(', ')}}`;
}

export const nullEntity = '0:0';

/** Whether a value is an entity, and not null. */
export function isTarget(value: Value | undefined): value is Entity {
    return typeof value === 'string' && value !== nullEntity && /^\d{1,10}:\d{1,10}$/.test(value);
}

/** "00 1f …" as rows of 16 bytes: offset, bytes and characters. */
export function hexRows(hex: string): { at: string; bytes: string; text: string }[] {
    const pairs = hex.replace(/[^0-9a-fA-F]/g, '').match(/../g) ?? [];
    const rows = [];
    for (let at = 0; at < pairs.length; at += 16) {
        const row = pairs.slice(at, at + 16);
        const text = row.map((pair) => {
            const code = Number.parseInt(pair, 16);
            return code >= 32 && code < 127 ? String.fromCharCode(code) : '·';
        });
        rows.push({ at: at.toString(16).padStart(4, '0'), bytes: row.join(' '), text: text.join('') });
    }
    return rows;
}
