// Figures of pools.

import type { Pool } from './api.ts';
import { bytes } from './format.ts';

export type Order = 'bytes' | 'count' | 'type' | 'holes' | 'spans' | 'saved';

/** Bytes that the advised change would save. */
export const savings = (pool: Pool): number => (pool.do ? Math.max(0, pool.bytes - pool.best_bytes) : 0);

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
