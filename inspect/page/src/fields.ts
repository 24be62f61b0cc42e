// The fields of a component, and parsing what is typed into them.

import type { Field, Type, Value } from './api.ts';

const integers: Record<string, readonly [bigint, bigint]> = {
    i8: [-(2n ** 7n), 2n ** 7n - 1n],
    i16: [-(2n ** 15n), 2n ** 15n - 1n],
    i32: [-(2n ** 31n), 2n ** 31n - 1n],
    i64: [-(2n ** 63n), 2n ** 63n - 1n],
    u8: [0n, 2n ** 8n - 1n],
    u16: [0n, 2n ** 16n - 1n],
    u32: [0n, 2n ** 32n - 1n],
    u64: [0n, 2n ** 64n - 1n],
};
const largestF32 = 3.4028234663852886e38;

export const isInteger = (kind: string): boolean => kind in integers;
export const isFloat = (kind: string): boolean => kind === 'f32' || kind === 'f64';
export const isNumber = (kind: string): boolean => isInteger(kind) || isFloat(kind);
export const isText = (field: Field): boolean => field.kind === 'char' && field.count > 1;

export type Parsed = { ok: true; value: Value } | { ok: false; why: string };

const good = (value: Value): Parsed => ({ ok: true, value });
const bad = (why: string): Parsed => ({ ok: false, why });

/** The value of a text, if a field of this kind can have it. */
export function parse(kind: string, text: string, length = 1): Parsed {
    if (isInteger(kind)) return parseInteger(kind, text.trim());
    if (isFloat(kind)) return parseFloatOf(kind, text.trim());
    if (kind === 'bool') return text === 'true' ? good(true) : text === 'false' ? good(false) : bad('true or false');
    if (kind === 'entity') return parseEntity(text.trim());
    if (kind === 'char') return parseText(text, length);
    return bad(`a ${kind} cannot be typed`);
}

function parseInteger(kind: string, text: string): Parsed {
    const [low, high] = integers[kind] as readonly [bigint, bigint];
    if (!/^[+-]?(\d+|0x[0-9a-fA-F]+)$/.test(text)) return bad(`a whole number from ${low} to ${high}`);
    const digits = BigInt(text.replace(/^[+-]/, ''));
    const n = text.startsWith('-') ? -digits : digits;
    if (n < low || n > high) return bad(`${kind} must be from ${low} to ${high}`);
    const small = n >= BigInt(Number.MIN_SAFE_INTEGER) && n <= BigInt(Number.MAX_SAFE_INTEGER);
    return good(small ? Number(n) : n.toString());
}

function parseFloatOf(kind: string, text: string): Parsed {
    const named = /^([+-])?(nan|inf|infinity)$/i.exec(text);
    if (named) return good(named[2]?.toLowerCase() === 'nan' ? 'nan' : named[1] === '-' ? '-inf' : 'inf');
    if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return bad('a number, such as 1.5 or 2e-3; also nan, inf, -inf');
    const n = Number(text);
    if (!Number.isFinite(n)) return bad('larger than any f64');
    if (kind === 'f32' && Math.abs(n) > largestF32) return bad('larger than any f32 (3.4e38)');
    // JSON has no floats: 1e20 would be written as an integer, which is beyond 64 bits.
    return good(Number.isInteger(n) && !Number.isSafeInteger(n) ? String(n) : n);
}

function parseEntity(text: string): Parsed {
    if (text === '' || text === 'null') return good('0:0');
    if (!/^\d{1,10}:\d{1,10}$/.test(text)) return bad('index:generation, such as 12:1; empty is null');
    return good(text);
}

function parseText(text: string, length: number): Parsed {
    const used = new TextEncoder().encode(text).length;
    if (length === 1) return used === 1 ? good(text) : bad('one character');
    return used <= length ? good(text) : bad(`${used} bytes; there is room for ${length}`);
}

/** A field that can be a column, an axis or a series: a number, or an element of an array of numbers. */
export interface Leaf {
    /** A path, such as "velocity.x" or "hits[2]". */
    path: string;
    kind: string;
    names?: readonly string[] | undefined; // of a choice
}

/** All single values of a type, in order, with the first few elements of arrays. */
export function leaves(fields: readonly Field[], arrays = 4, prefix = ''): Leaf[] {
    const found: Leaf[] = [];
    for (const field of fields) {
        if (field.kind === 'padding') continue;
        const path = prefix + field.name;
        const nested = field.fields;
        if (isText(field)) found.push({ path, kind: 'text' });
        else if (field.count <= 1) found.push(...(nested ? leaves(nested, arrays, `${path}.`) : [{ path, kind: field.kind, names: field.show?.names }]));
        else {
            for (let i = 0; i < Math.min(field.count, arrays); i++)
                found.push(...(nested ? leaves(nested, arrays, `${path}[${i}].`) : [{ path: `${path}[${i}]`, kind: field.kind }]));
        }
    }
    return found;
}

/** A colour as "#rrggbb", of a number 0xRRGGBBAA, or of an array of floats from 0 to 1 or of bytes. */
export function hexOfColour(kind: string, value: Value | undefined): string {
    const parts = Array.isArray(value) ? value.map((part) => Number(part) * (isFloat(kind) ? 255 : 1)) : [24, 16, 8].map((shift) => Math.floor(Number(value ?? 0) / 2 ** shift) % 256);
    return `#${[0, 1, 2].map((i) => Math.round(Math.max(0, Math.min(255, parts[i] || 0))).toString(16).padStart(2, '0')).join('')}`;
}

/** The value of a field that gets a colour "#rrggbb". Its alpha stays. */
export function colourOfHex(kind: string, value: Value | undefined, hex: string): Value {
    const parts = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
    if (!Array.isArray(value)) return parts.reduce((sum, part) => sum * 256 + part, 0) * 256 + (Number(value ?? 0) % 256);
    return value.map((old, i) => (i > 2 ? old : isFloat(kind) ? Number(((parts[i] ?? 0) / 255).toPrecision(7)) : (parts[i] ?? 0)));
}

/** The name of a value of a choice, or the value. */
export function nameOfChoice(names: readonly string[], value: Value | undefined): string {
    return names[Number(value)] ?? String(value ?? '');
}

/** Whether rows can be sorted by a value. */
export const isSortable = (leaf: Leaf): boolean => isNumber(leaf.kind) || leaf.kind === 'bool' || leaf.kind === 'char';

/** The value at a path such as "items[2].count". */
export function at(value: Value | undefined, path: string): Value | undefined {
    let held: Value | undefined = value;
    for (const step of path.split(/[.[\]]+/).filter((part) => part !== '')) {
        if (held === null || typeof held !== 'object') return undefined;
        held = Array.isArray(held) ? held[Number(step)] : held[step];
    }
    return held;
}

/** The numbers of all types, as "Position.x". */
export function numericPaths(types: readonly Type[]): { type: string; path: string }[] {
    return types.flatMap((type) =>
        leaves(type.fields ?? [])
            .filter((leaf) => isNumber(leaf.kind))
            .map((leaf) => ({ type: type.name, path: `${type.name}.${leaf.path}` })),
    );
}
