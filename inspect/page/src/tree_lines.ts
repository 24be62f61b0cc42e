// The visible rows of a tree.

import type { Entity, TreeRow } from './api.ts';

export interface Level {
    rows: TreeRow[];
    count: number;
    shown: number;
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
