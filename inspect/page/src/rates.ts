// Events by type and second.

import type { EventSeconds } from './api.ts';

export type Kind = 'added' | 'set' | 'removed';
export const kinds: Kind[] = ['added', 'set', 'removed'];

export interface Rates {
    type: string;
    /** For each kind: the last second that is complete, all seconds, and their sum. */
    kinds: Record<Kind, { last: number; all: number[]; sum: number }>;
}

/** The name of the row that counts created and destroyed entities. */
export const entitiesRow = '(entities)';

/** Seconds of events by type; types with the most first. */
export function ratesOf({ seconds }: EventSeconds): Rates[] {
    const types = new Map<string, Rates>();
    const none = () => ({ last: 0, all: seconds.map(() => 0), sum: 0 });
    seconds.forEach((second, i) => {
        const created = second.created ?? 0;
        const destroyed = second.destroyed ?? 0;
        const entities = created + destroyed > 0 ? [{ type: entitiesRow, added: created, set: 0, removed: destroyed }] : [];
        for (const held of [...entities, ...second.types]) {
            const rates = types.get(held.type) ?? { type: held.type, kinds: { added: none(), set: none(), removed: none() } };
            types.set(held.type, rates);
            for (const kind of kinds) {
                rates.kinds[kind].all[i] = held[kind];
                rates.kinds[kind].sum += held[kind];
                if (i === seconds.length - 1) rates.kinds[kind].last = held[kind];
            }
        }
    });
    const total = (rates: Rates) => kinds.reduce((sum, kind) => sum + rates.kinds[kind].sum, 0);
    return [...types.values()].sort((a, b) => total(b) - total(a) || (a.type < b.type ? -1 : 1));
}
