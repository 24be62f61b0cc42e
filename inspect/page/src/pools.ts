// Figures of pools and kinds.

import type { EntityKind, Pool } from './api.ts';
import { bytes, count, percent } from './format.ts';

export type Order = 'bytes' | 'count' | 'type' | 'holes' | 'spans' | 'saved';

/** Bytes that the advised change would save. */
export const savings = (pool: Pool): number => (pool.do ? Math.max(0, pool.bytes - pool.best_bytes) : 0);

/** Whether a change is worth its time: it saves at least 5 % of the pool, and 1 KB. */
export const isAdvised = (pool: Pool): boolean => savings(pool) >= Math.max(1000, pool.bytes * 0.05);

export function sortPools(pools: readonly Pool[], order: Order): Pool[] {
    if (order === 'type') return [...pools].sort((a, b) => (a.type < b.type ? -1 : 1));
    const key = (pool: Pool) => (order === 'saved' ? savings(pool) : (pool[order] ?? 0));
    return [...pools].sort((a, b) => key(b) - key(a));
}

export function saved(type: string, before: number, after: number): string {
    if (after < before) return `${type}: ${bytes(before)} before, ${bytes(after)} now. ${bytes(before - after)} saved.`;
    if (after > before) return `${type}: ${bytes(before)} before, ${bytes(after)} now. ${bytes(after - before)} more.`;
    return `${type}: ${bytes(before)}, as before.`;
}

/** How many kinds there are, and how many of them are listed. */
export function kindsListed(all: number, listed: number): string {
    const text = `${count(all)} ${all === 1 ? 'kind' : 'kinds'}`;
    return listed < all ? `${text} · the ${count(listed)} with most entities are listed` : text;
}

/** How full the blocks of a kind are. "100 %" only if no index is free. */
export function fullness({ full }: EntityKind): string {
    return percent(full < 1 ? Math.min(full, 0.99) : 1, 1);
}
