// The visible rows of a tree.

import type { Entity, TreeRow } from './api.ts';

export interface Level {
    rows: TreeRow[];
    count: number;
    shown: number;
    /** Whether its rows were loaded. */
    known: boolean;
}

/** The level of the roots. */
export const roots = '';

/** A row of the tree: an entity, or the row that loads more of a level. */
export type Line = { depth: number; row: TreeRow; open: boolean } | { depth: number; more: number; level: Entity };

export function linesOf(levels: ReadonlyMap<Entity, Level>, level: Entity = roots, depth = 0, lines: Line[] = []): Line[] {
    const held = levels.get(level);
    if (!held || depth > 100) return lines;
    for (const row of held.rows) {
        const open = levels.has(row.e);
        lines.push({ depth, row, open });
        if (open) linesOf(levels, row.e, depth + 1, lines);
    }
    if (held.count > held.rows.length) lines.push({ depth, more: held.count - held.rows.length, level });
    return lines;
}

/** Closes the levels of entities that are no longer visible, as soon as all levels are loaded. */
export function prune(levels: Map<Entity, Level>): void {
    if ([...levels.values()].some((level) => !level.known)) return;
    const seen = new Set<Entity>([roots]);
    for (const level of levels.values()) for (const row of level.rows) seen.add(row.e);
    for (const e of [...levels.keys()]) if (!seen.has(e)) levels.delete(e);
}
