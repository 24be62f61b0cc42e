// The text of queries and searches.

import type { Entity, Type } from './api.ts';

/** Converts a byte offset in the UTF-8 of a text to an offset in the text. */
export function indexOfByte(text: string, byte: number): number {
    let at = 0;
    let index = 0;
    for (const letter of text) {
        const code = letter.codePointAt(0) ?? 0;
        if (at >= byte) break;
        at += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
        index += letter.length;
    }
    return index;
}

export const byteOfIndex = (text: string, index: number): number => new TextEncoder().encode(text.slice(0, index)).length;

/** The types that a query names, in its order: their fields become columns. */
export function typesOfQuery(query: string, known: readonly Type[]): string[] {
    const names = new Set(known.filter((type) => (type.fields?.length ?? 0) > 0).map((type) => type.name));
    const words = query.replace(/"[^"]*"/g, '').match(/[!?]?\s*[A-Za-z_][\w]*/g) ?? [];
    const found = words.filter((word) => !word.startsWith('!')).map((word) => word.replace(/^\?/, '').trim());
    return [...new Set(found.filter((word) => names.has(word)))].slice(0, 4);
}

const words = ['name', 'parent', 'disabled', 'root'];

/** The query for the entities whose field is an entity. */
export function queryOfSources(type: string, field: string, e: Entity): string {
    const plain = /^[A-Za-z_][\w:.]*$/.test(type) && !words.includes(type);
    return `${plain ? type : `"${type.replace(/["\\]/g, '\\$&')}"`}.${field} == ${e}`;
}

/** Whether a text contains the letters of a pattern, in this order. */
export function isFuzzyMatch(pattern: string, text: string): boolean {
    const lower = text.toLowerCase();
    let at = 0;
    for (const letter of pattern.toLowerCase().replaceAll(' ', '')) {
        at = lower.indexOf(letter, at) + 1;
        if (at === 0) return false;
    }
    return true;
}
