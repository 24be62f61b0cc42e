// Lookups, and the cells of those that find places.

import type { Cells, Lookup } from './api.ts';
import { counted } from './format.ts';
import { route, showSpace } from './route.ts';

/** "Position.x, y". */
export const fieldsOf = (lookup: Pick<Lookup, 'type' | 'fields'>): string => `${lookup.type}.${lookup.fields.join(', ')}`;

/** The numbers of a place as axes of the space view. */
export function axesOf(lookup: Pick<Lookup, 'type' | 'fields'>): { x: string; y: string; z: string } {
    const [x = '', y = '', z = ''] = lookup.fields.map((field) => `${lookup.type}.${field}`);
    return { x, y, z };
}

/** Goes to the space view, and shows the cells of a lookup. */
export function showCells(number: number, lookup: Lookup): void {
    showSpace({ ...route.value.params, ...axesOf(lookup), cells: String(number) });
}

/** Of which lookup the space view shows cells: the one that was chosen, otherwise the first one whose places are the
 * axes. -1: of none. A place with three numbers is also seen from above. */
export function lookupShown(lookups: readonly Lookup[], axes: { x: string; y: string; z: string }, chosen: string | undefined): number {
    const fits = (lookup: Lookup) => {
        const own = axesOf(lookup);
        return lookup.finds === 'places' && own.x === axes.x && own.y === axes.y && (axes.z === '' || own.z === axes.z);
    };
    if (chosen === 'none') return -1;
    const wanted = lookups[Number(chosen)];
    return wanted && fits(wanted) ? Number(chosen) : lookups.findIndex(fits);
}

export interface Square {
    /** The numbers of the first cell that it covers, its lower corner, and its entities. */
    at: number[];
    low: number[];
    count: number;
}

/** The cells as squares or cubes; in the plane, cells with the same first two numbers are one. */
export function squaresOf(cells: Cells, deep: boolean): { squares: Square[]; side: number; most: number } {
    const found = new Map<string, Square>();
    const dimensions = deep ? 3 : 2;
    for (const cell of cells.cells) {
        const numbers = cell.slice(0, dimensions);
        const entities = cell[cell.length - 1] ?? 0;
        const key = numbers.join();
        const square = found.get(key);
        if (square) square.count += entities;
        else found.set(key, { at: numbers.map((n) => n * cells.merged), low: numbers.map((n) => (n * cells.merged - 0.5) * cells.cell), count: entities });
    }
    const squares = [...found.values()];
    return { squares, side: cells.cell * cells.merged, most: Math.max(0, ...squares.map((square) => square.count)) };
}

/** How dark a cell is drawn: from 0.15 to 0.85, by the root of its entities. */
export const shadeOf = (count: number, most: number): number => 0.15 + 0.7 * Math.sqrt(count / Math.max(1, most));

/** "cell 3, -2: 12 entities". */
export function printSquare(square: Square, merged: number): string {
    const numbers = square.at.map((n) => (merged > 1 ? `${n} to ${n + merged - 1}` : String(n))).join(', ');
    return `cell${merged > 1 ? 's' : ''} ${numbers}: ${counted(square.count, 'entity', 'entities')}`;
}
