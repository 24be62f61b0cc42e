// Points of the space view: reading, projecting and picking them.

/** "CVSP" in the bytes of a little-endian number. */
export const magic = 0x50535643;

const hasZ = 1;
const hasValue = 2;

export interface Points {
    count: number;
    /** Entities that match; more than `count` when only some are shown. */
    total: number;
    x: Float32Array;
    y: Float32Array;
    z: Float32Array | null;
    value: Float32Array | null;
    index: Uint32Array;
}

/** Little-endian: magic, count, total, flags; for each point x, y, z and value if flags say so, and the index. */
export function readPoints(buffer: ArrayBuffer): Points {
    const bytes = new DataView(buffer);
    if (buffer.byteLength < 16 || bytes.getUint32(0, true) !== magic) throw new Error('these are not points');
    const count = bytes.getUint32(4, true);
    const flags = bytes.getUint32(12, true);
    const deep = (flags & hasZ) !== 0;
    const valued = (flags & hasValue) !== 0;
    const stride = 12 + (deep ? 4 : 0) + (valued ? 4 : 0);
    if (buffer.byteLength < 16 + count * stride) throw new Error('the points are cut off');
    const points: Points = {
        count,
        total: bytes.getUint32(8, true),
        x: new Float32Array(count),
        y: new Float32Array(count),
        z: deep ? new Float32Array(count) : null,
        value: valued ? new Float32Array(count) : null,
        index: new Uint32Array(count),
    };
    for (let i = 0, at = 16; i < count; i++) {
        points.x[i] = bytes.getFloat32(at, true);
        points.y[i] = bytes.getFloat32(at + 4, true);
        at += 8;
        if (points.z) points.z[i] = bytes.getFloat32(at, true);
        if (deep) at += 4;
        if (points.value) points.value[i] = bytes.getFloat32(at, true);
        if (valued) at += 4;
        points.index[i] = bytes.getUint32(at, true);
        at += 4;
    }
    return points;
}

export interface Bounds {
    low: [number, number, number];
    high: [number, number, number];
}

export function boundsOf(points: Points): Bounds | null {
    const low: [number, number, number] = [Infinity, Infinity, 0];
    const high: [number, number, number] = [-Infinity, -Infinity, 0];
    if (points.z) [low[2], high[2]] = [Infinity, -Infinity];
    const stretch = (axis: 0 | 1 | 2, value: number) => {
        if (!Number.isFinite(value)) return;
        if (value < low[axis]) low[axis] = value;
        if (value > high[axis]) high[axis] = value;
    };
    for (let i = 0; i < points.count; i++) {
        stretch(0, points.x[i] as number);
        stretch(1, points.y[i] as number);
        if (points.z) stretch(2, points.z[i] as number);
    }
    return low[0] <= high[0] && low[1] <= high[1] ? { low, high } : null;
}

/** The camera: the centre, pixels for a unit, and for three axes the angles of the view. */
export interface Camera {
    x: number;
    y: number;
    z: number;
    scale: number;
    turn: number;
    tilt: number;
}

export function fitCamera(bounds: Bounds, width: number, height: number): Camera {
    const size = [0, 1, 2].map((axis) => (bounds.high[axis] as number) - (bounds.low[axis] as number)) as [number, number, number];
    const deep = size[2] > 0;
    const across = deep ? Math.hypot(...size) : size[0];
    const down = deep ? across : size[1];
    const scale = Math.min((width - 48) / (across || 1), (height - 48) / (down || 1));
    const middle = (axis: 0 | 1 | 2) => (bounds.low[axis] + bounds.high[axis]) / 2;
    return { x: middle(0), y: middle(1), z: middle(2), scale: scale > 0 && Number.isFinite(scale) ? scale : 1, turn: 0.6, tilt: 0.5 };
}

/** Projects points to the screen, in pixels. The y axis of the world points up. */
export function project(points: Points, camera: Camera, width: number, height: number): { x: Float32Array; y: Float32Array } {
    const sx = new Float32Array(points.count);
    const sy = new Float32Array(points.count);
    const [ct, st, cl, sl] = [Math.cos(camera.turn), Math.sin(camera.turn), Math.cos(camera.tilt), Math.sin(camera.tilt)];
    for (let i = 0; i < points.count; i++) {
        const x = (points.x[i] as number) - camera.x;
        const y = (points.y[i] as number) - camera.y;
        if (points.z) {
            const z = (points.z[i] as number) - camera.z;
            sx[i] = width / 2 + (x * ct - y * st) * camera.scale;
            sy[i] = height / 2 - ((x * st + y * ct) * sl + z * cl) * camera.scale;
        } else {
            sx[i] = width / 2 + x * camera.scale;
            sy[i] = height / 2 - y * camera.scale;
        }
    }
    return { x: sx, y: sy };
}

/** The nearest point within `reach` pixels; -1: none. */
export function pick(screen: { x: Float32Array; y: Float32Array }, x: number, y: number, reach: number): number {
    let found = -1;
    let nearest = reach * reach;
    for (let i = 0; i < screen.x.length; i++) {
        const dx = (screen.x[i] as number) - x;
        const dy = (screen.y[i] as number) - y;
        const distance = dx * dx + dy * dy;
        if (distance <= nearest) {
            nearest = distance;
            found = i;
        }
    }
    return found;
}

/** From dark blue to yellow. The lightness grows, so that it is readable without colour vision. */
const ramp = ['#2c3e7b', '#20608f', '#1c7f8f', '#2b9d82', '#6cb968', '#b3cf52', '#f0e442'];

/** The step of NaN: the entity lacks the component. */
export const noStep = 255;

/** The position of each value's colour in `ramp`. */
export function rampOf(values: Float32Array): { colours: readonly string[]; steps: Uint8Array; low: number; high: number } {
    let low = Infinity;
    let high = -Infinity;
    for (const value of values) {
        if (value < low) low = value;
        if (value > high) high = value;
    }
    const steps = new Uint8Array(values.length);
    const span = high - low || 1;
    for (let i = 0; i < values.length; i++) {
        const part = ((values[i] as number) - low) / span;
        steps[i] = Number.isFinite(part) ? Math.min(ramp.length - 1, Math.floor(part * ramp.length)) : noStep;
    }
    return { colours: ramp, steps, low, high };
}
