// The blocks of a pool, and where to draw them.

export const forms = [
    { name: 'absent', colour: 'map-absent', text: 'no memory' },
    { name: 'empty', colour: 'map-empty', text: 'memory without components' },
    { name: 'compact', colour: 'map-compact', text: 'packed, found by the mask' },
    { name: 'direct', colour: 'map-direct', text: 'a place for each of 64' },
    { name: 'full', colour: 'map-full', text: 'all 64 are there' },
    { name: 'sparse', colour: 'map-sparse', text: 'in a sparse set' },
] as const;

export interface Blocks {
    /** Two bytes for each block: its form, and how many of its 64 indices have the component. */
    bytes: Uint8Array;
    count: number;
}

export function readBlocks(buffer: ArrayBuffer): Blocks {
    const bytes = new Uint8Array(buffer);
    return { bytes, count: bytes.length >> 1 };
}

export interface Grid {
    /** Pixels: the width of a full block, and the height of its row. */
    width: number;
    height: number;
    columns: number;
    /** Blocks in a column, from top to bottom. */
    rows: number;
}

export const gap = 4;

/** The largest size at which all blocks fit, or the smallest one if they do not. */
export function gridOf(blocks: number, { width, height }: { width: number; height: number }): Grid {
    let found: Grid = { width: 8, height: 1, columns: 1, rows: 1 };
    for (const [w, h] of [[128, 12], [128, 8], [96, 6], [64, 5], [64, 4], [64, 3], [64, 2], [64, 1], [32, 2], [32, 1], [16, 1], [8, 1], [6, 1], [4, 1]] as const) {
        const columns = Math.max(1, Math.floor((width + gap) / (w + gap)));
        const rows = Math.max(1, Math.floor(height / h));
        found = { width: w, height: h, columns, rows };
        if (columns * rows >= blocks) break;
    }
    return found;
}
