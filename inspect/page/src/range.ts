// The visible part of a timeline.

/** The visible part, in nanoseconds from the first frame. */
export interface Range {
    from: number;
    to: number;
}

/** Zooms by a factor around a point, and stays within the whole. */
export function zoomRange(range: Range, factor: number, around: number, whole: number): Range {
    const length = Math.min(whole, Math.max(100, (range.to - range.from) * factor));
    const part = (around - range.from) / (range.to - range.from);
    return clampRange({ from: around - part * length, to: around - part * length + length }, whole);
}

export function clampRange(range: Range, whole: number): Range {
    const length = Math.min(range.to - range.from, whole);
    const from = Math.max(0, Math.min(range.from, whole - length));
    return { from, to: from + length };
}

/** A round step in nanoseconds for about `most` marks over a length. */
export function tickLength(length: number, most: number): number {
    const raw = length / most;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].find((factor) => factor * power >= raw) ?? 10;
    return Math.max(1, step * power);
}
