// The entities that are marked in the table, to edit several at once.

import type { Entity } from './api.ts';
import { Cell } from './store.ts';

/** As many as one edit takes without a long address of a request. */
export const mostMarked = 200;

/** Empty, or at least two. */
export const marks = new Cell<readonly Entity[]>([]);

export function mark(entities: readonly Entity[]): void {
    const next = [...new Set(entities)].slice(0, mostMarked);
    marks.set(next.length > 1 ? next : []);
}

/** Marks an entity, or takes its mark away. The selected one is marked with the first. */
export function toggleMark(e: Entity, selected: Entity | null): void {
    const held = marks.value.length > 0 ? marks.value : selected ? [selected] : [];
    mark(held.includes(e) ? held.filter((one) => one !== e) : [...held, e]);
}
