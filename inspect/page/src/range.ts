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

/** The range of a frame, with a little before and after it. */
export function rangeOfFrame(frame: { at: number; length: number }, begin: number, whole: number): Range {
    const length = Math.min(whole, Math.max(100, frame.length * 1.04));
    const from = frame.at - begin - (length - frame.length) / 2;
    return clampRange({ from, to: from + length }, whole);
}

/** The frame in the middle of a range: the last one that has begun there. */
export function frameIn(frames: readonly { at: number }[], begin: number, range: Range): number {
    const middle = (range.from + range.to) / 2;
    return Math.max(0, frames.findLastIndex((frame) => frame.at - begin <= middle));
}

/** Where the axis begins: at the frame in the middle if the range shows no other, or else at the first one. */
export function originOf(frames: readonly { at: number; length: number }[], begin: number, range: Range): number {
    const seen = frames.filter((frame) => frame.at - begin < range.to && frame.at - begin + frame.length > range.from);
    return seen.length > 1 ? 0 : (frames[frameIn(frames, begin, range)]?.at ?? begin) - begin;
}

/** A round step in nanoseconds for about `most` marks over a length. */
export function tickLength(length: number, most: number): number {
    const raw = length / most;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].find((factor) => factor * power >= raw) ?? 10;
    return Math.max(1, step * power);
}
