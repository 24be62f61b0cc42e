// Entities as points; two or three fields are the coordinates.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Cells, EntityRows, Lookup, Type } from '../api.ts';
import { get } from '../client.ts';
import { complain } from '../edits.ts';
import { numericPaths } from '../fields.ts';
import { count, counted, float } from '../format.ts';
import { axesOf, fieldsOf, lookupShown, printSquare, shadeOf, type Square, squaresOf } from '../lookups.ts';
import { Button, Pending, State } from '../parts/basics.tsx';
import { Canvas, type Size, type Surface } from '../parts/canvas.tsx';
import { EntityPanel } from '../parts/entity_panel.tsx';
import { QueryBox } from '../parts/query_box.tsx';
import { boundsOf, type Camera, fitCamera, noStep, pick, type Points, project, rampOf, readPoints } from '../points.ts';
import { usePoll, usePollBytes, withParams } from '../poll.ts';
import { route, selectEntity, setParams } from '../route.ts';
import { useCell } from '../store.ts';
import { colour } from '../theme.ts';
import { types } from '../world.ts';

/** The default axes: fields named x and y, or else the first two fields of a type. */
export function defaultAxes(known: readonly Type[]): { x: string; y: string } | null {
    const paths = numericPaths(known.filter((type) => type.count > 0));
    const named = (ending: string) => paths.filter(({ path }) => path.endsWith(ending));
    const byName = (x: { type: string; path: string }) => /pos/i.test(x.type);
    const xs = named('.x').sort((a, b) => Number(byName(b)) - Number(byName(a)));
    for (const x of xs) {
        const y = named('.y').find((held) => held.type === x.type && held.path.slice(0, -2) === x.path.slice(0, -2));
        if (y) return { x: x.path, y: y.path };
    }
    const first = paths.find((path, i) => paths[i + 1]?.type === path.type);
    const second = first && paths[paths.indexOf(first) + 1];
    return first && second ? { x: first.path, y: second.path } : null;
}

type Squares = ReturnType<typeof squaresOf>;

export function SpaceView() {
    const { params } = useCell(route);
    const known = useCell(types);
    const fallback = useMemo(() => defaultAxes(known), [known]);
    const paths = useMemo(() => numericPaths(known).map(({ path }) => path), [known]);
    const axes = { x: params.x || fallback?.x || '', y: params.y || fallback?.y || '', z: params.z ?? '', value: params.value ?? '' };
    const query = params.sq ?? '';
    const path = axes.x && axes.y ? withParams('space', { ...axes, query, limit: 20000 }) : null;
    const { data, error, of } = usePollBytes(path, 100);
    const points = useMemo(() => (data ? readPoints(data) : null), [data]);
    const asked = new URLSearchParams(of.replace(/^.*\?/, '')); // the points may still be those of other axes
    const lookups = usePoll<{ lookups: Lookup[] }>('lookups', 2000).data?.lookups ?? [];
    const shown = lookupShown(lookups, axes, params.cells);
    const cells = usePoll<Cells>(shown >= 0 ? withParams('cells', { lookup: shown, limit: axes.z ? 500 : 2000 }) : null, 500).data;
    const selected = params.e ?? null;
    if (known.length > 0 && !path)
        return <State title="Nothing to place">No component has two numeric fields. Describe them with COVEY_FIELDS_DEFINE.</State>;
    return (
        <div class={`space-view ${selected ? '' : 'no-entity'}`}>
            <div class="space-line">
                <Axis label="x" value={axes.x} paths={paths} onChange={(x) => setParams({ x }, true)} />
                <Axis label="y" value={axes.y} paths={paths} onChange={(y) => setParams({ y }, true)} />
                <Axis label="z" value={axes.z} paths={['', ...paths]} onChange={(z) => setParams({ z }, true)} />
                <Axis label="Colour" value={axes.value} paths={['', ...paths]} onChange={(value) => setParams({ value }, true)} />
                <CellsOf lookups={lookups} shown={shown} />
                <QueryBox query={query} error={error?.status === 422 ? error.body : null} onQuery={(sq) => setParams({ sq }, true)} />
            </div>
            {points ? (
                <Field points={points} key={['x', 'y', 'z'].map((axis) => asked.get(axis)).join()} selected={selected} valueName={axes.value} cells={shown >= 0 && cells?.lookup === shown ? cells : null} />
            ) : error?.status === 422 ? (
                <State title="The query is wrong" kind="error">{error.body.text}</State>
            ) : (
                <Pending error={error} what="points" />
            )}
            {selected && (
                <aside class="entity-pane" aria-label="Selected entity">
                    <EntityPanel key={selected} e={selected} onClose={() => selectEntity(null)} />
                </aside>
            )}
        </div>
    );
}

function Axis(props: { label: string; value: string; paths: readonly string[]; onChange: (path: string) => void }) {
    return (
        <label class="axis">
            <span class="dim">{props.label}</span>
            <select value={props.value} aria-label={props.label} onChange={(event) => props.onChange(event.currentTarget.value)}>
                {props.paths.map((path) => (
                    <option key={path} value={path}>
                        {path || 'none'}
                    </option>
                ))}
            </select>
        </label>
    );
}

/** Of which lookup the cells are shown. Without a lookup of places there is nothing to choose. */
function CellsOf({ lookups, shown }: { lookups: readonly Lookup[]; shown: number }) {
    const places = lookups.map((lookup, number) => ({ lookup, number })).filter(({ lookup }) => lookup.finds === 'places');
    if (places.length === 0) return null;
    const choose = (text: string) => {
        const lookup = lookups[Number(text)];
        if (text === '' || !lookup) setParams({ cells: 'none' }, true);
        else setParams({ cells: text, ...axesOf(lookup) }, true);
    };
    return (
        <label class="axis">
            <span class="dim">Cells</span>
            <select value={shown < 0 ? '' : String(shown)} aria-label="Cells" onChange={(event) => choose(event.currentTarget.value)}>
                <option value="">none</option>
                {places.map(({ lookup, number }) => (
                    <option key={number} value={String(number)}>
                        {fieldsOf(lookup)}: {float(lookup.cell ?? 0)}
                    </option>
                ))}
            </select>
        </label>
    );
}

function Field({ points, selected, valueName, cells }: { points: Points; selected: string | null; valueName: string; cells: Cells | null }) {
    const [camera, setCamera] = useState<Camera | null>(null);
    const size = useRef<Size>({ width: 0, height: 0 });
    const drag = useRef<{ x: number; y: number; camera: Camera; moved: boolean } | null>(null);
    const [hover, setHover] = useState(-1);
    const screen = useRef<{ x: Float32Array; y: Float32Array } | null>(null);
    const deep = points.z !== null;
    const fit = () => {
        const bounds = boundsOf(points);
        if (bounds && size.current.width > 0) setCamera(fitCamera(bounds, size.current.width, size.current.height));
    };
    useEffect(() => {
        if (!camera) fit();
    }, [points, camera]);

    const squares = useMemo(() => (cells ? squaresOf(cells, deep) : null), [cells, deep]);
    const [under, setUnder] = useState('');
    const shades = useMemo(() => (points.value ? rampOf(points.value) : null), [points]);
    const selectedIndex = selected === null ? -1 : Number(selected.split(':')[0]);

    const draw = ({ context, width, height }: Surface) => {
        if (!camera) return;
        if (squares && cells) drawCells(context, width, height, camera, squares, deep);
        if (!deep) drawGrid(context, width, height, camera);
        const at = project(points, camera, width, height);
        screen.current = at;
        const side = points.count > 10_000 ? 2 : points.count > 2000 ? 3 : 4;
        const plain = colour('accent');
        const steps = shades ? [noStep, ...shades.colours.keys()] : [0];
        for (const step of steps) {
            context.fillStyle = !shades ? plain : (shades.colours[step] ?? colour('strong-line'));
            for (let i = 0; i < points.count; i++) {
                if (shades && shades.steps[i] !== step) continue;
                context.fillRect((at.x[i] as number) - side / 2, (at.y[i] as number) - side / 2, side, side);
            }
        }
        for (let i = 0; i < points.count; i++) {
            if (points.index[i] !== selectedIndex && i !== hover) continue;
            context.strokeStyle = i === hover ? colour('text') : colour('warn');
            context.lineWidth = 2;
            context.beginPath();
            context.arc(at.x[i] as number, at.y[i] as number, 7, 0, 2 * Math.PI);
            context.stroke();
        }
    };

    const zoom = (factor: number, x: number, y: number) => {
        if (!camera) return;
        const scale = camera.scale * factor;
        const [dx, dy] = [x - size.current.width / 2, y - size.current.height / 2];
        const kept = 1 / camera.scale - 1 / scale;
        setCamera(deep ? { ...camera, scale } : { ...camera, scale, x: camera.x + dx * kept, y: camera.y - dy * kept });
    };
    const shift = (dx: number, dy: number, from: Camera) => {
        if (deep) setCamera({ ...from, turn: from.turn + dx / 150, tilt: Math.max(-1.5, Math.min(1.5, from.tilt + dy / 150)) });
        else setCamera({ ...from, x: from.x - dx / from.scale, y: from.y + dy / from.scale });
    };
    const choose = async (i: number) => {
        const index = points.index[i];
        if (index === undefined) return;
        try {
            const found = await get<EntityRows>(withParams('entities', { query: `#${index}`, limit: 1, offset: 0 }));
            const row = found.rows[0];
            if (row) selectEntity(row.e);
        } catch (error) {
            complain(error);
        }
    };
    return (
        <div class="field-of-points">
            <Canvas
                label={`${counted(points.count, 'entity', 'entities')} in space`}
                draw={draw}
                onSize={(next) => {
                    const first = size.current.width === 0;
                    size.current = next;
                    if (first) fit();
                }}
                onPointerDown={(event) => {
                    if (!camera) return;
                    (event.currentTarget as Element).setPointerCapture(event.pointerId);
                    drag.current = { x: event.offsetX, y: event.offsetY, camera, moved: false };
                }}
                onPointerMove={(event) => {
                    const start = drag.current;
                    if (!start) {
                        setHover(screen.current ? pick(screen.current, event.offsetX, event.offsetY, 8) : -1);
                        setUnder(cells && squares && camera && !deep ? squareAt(cells, squares.squares, camera, size.current, event) : '');
                        return;
                    }
                    const [dx, dy] = [event.offsetX - start.x, event.offsetY - start.y];
                    if (Math.abs(dx) + Math.abs(dy) > 4) start.moved = true;
                    if (start.moved) shift(dx, dy, start.camera);
                }}
                onPointerUp={(event) => {
                    const start = drag.current;
                    drag.current = null;
                    if (!start || start.moved || !screen.current) return;
                    const i = pick(screen.current, event.offsetX, event.offsetY, 10);
                    if (i >= 0) void choose(i);
                }}
                onPointerLeave={() => {
                    setHover(-1);
                    setUnder('');
                }}
                onWheel={(event) => {
                    event.preventDefault();
                    zoom(event.deltaY > 0 ? 1 / 1.2 : 1.2, event.offsetX, event.offsetY);
                }}
                onKeyDown={(event) => {
                    const steps: Record<string, [number, number]> = { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] };
                    const step = steps[event.key];
                    const { width, height } = size.current;
                    if (step && camera) shift(step[0], step[1], camera);
                    else if (event.key === '+' || event.key === '=') zoom(1.25, width / 2, height / 2);
                    else if (event.key === '-') zoom(0.8, width / 2, height / 2);
                    else if (event.key === '0') fit();
                    else return;
                    event.preventDefault();
                }}
            />
            <div class="space-foot">
                <span class="dim" role="status" data-number="points">
                    {points.total > points.count ? `${count(points.count)} of ${count(points.total)} entities, evenly sampled` : points.count === 1 ? '1 entity' : `${count(points.count)} entities`}
                </span>
                {squares && cells && <CellsFoot cells={cells} squares={squares} under={under} />}
                {shades && shades.low <= shades.high && (
                    <span class="ramp" aria-label={`Colour: ${valueName}`}>
                        {float(shades.low)}
                        <span class="ramp-bar" aria-hidden="true" />
                        {float(shades.high)}
                    </span>
                )}
                <span class="dim">Wheel: zoom; drag: {deep ? 'turn' : 'move'}; click: pick.</span>
                <Button label="Show all" onClick={fit} />
            </div>
        </div>
    );
}

/** What the shades mean, and the cell under the pointer. */
function CellsFoot({ cells, squares, under }: { cells: Cells; squares: Squares; under: string }) {
    return (
        <>
            <span class="shades" role="status" data-number="cells">
                {counted(squares.squares.length, 'cell')}
                {cells.merged > 1 && ` of ${cells.merged}× the side`}
                <span class="shade-bar" aria-hidden="true" />
                {count(squares.most)}
            </span>
            {under !== '' && <span class="dim">{under}</span>}
        </>
    );
}

function squareAt(cells: Cells, squares: readonly Square[], camera: Camera, size: Size, event: PointerEvent): string {
    const x = camera.x + (event.offsetX - size.width / 2) / camera.scale;
    const y = camera.y - (event.offsetY - size.height / 2) / camera.scale;
    const numbers = [x, y].map((n) => Math.floor(Math.round(n / cells.cell) / cells.merged) * cells.merged);
    const found = squares.find((square) => square.at[0] === numbers[0] && square.at[1] === numbers[1]);
    return found ? printSquare(found, cells.merged) : '';
}

const steps = 6; // shades that are drawn

function drawCells(context: CanvasRenderingContext2D, width: number, height: number, camera: Camera, { squares, side, most }: Squares, deep: boolean): void {
    const stepOf = (square: Square) => Math.ceil((square.count / Math.max(1, most)) * steps);
    const corners = deep ? cornersOf(squares, side, camera, width, height) : null;
    context.fillStyle = context.strokeStyle = colour('sparse');
    context.lineWidth = 1;
    for (let step = 1; step <= steps; step++) {
        context.globalAlpha = shadeOf(step, steps);
        context.beginPath();
        squares.forEach((square, i) => {
            if (stepOf(square) !== step) return;
            if (corners) return traceCube(context, corners, i * 8);
            const [x = 0, y = 0] = square.low;
            const gap = side * camera.scale > 6 ? 1 : 0;
            context.rect(width / 2 + (x - camera.x) * camera.scale, height / 2 - (y + side - camera.y) * camera.scale, side * camera.scale - gap, side * camera.scale - gap);
        });
        if (deep) context.stroke();
        else context.fill();
    }
    context.globalAlpha = 1;
}

/** The corners of all cubes on the screen, eight of each. */
function cornersOf(squares: readonly Square[], side: number, camera: Camera, width: number, height: number): { x: Float32Array; y: Float32Array } {
    const count = squares.length * 8;
    const along = (axis: number, bit: number) => Float32Array.from({ length: count }, (_, i) => (squares[i >> 3]?.low[axis] ?? 0) + ((i & bit) !== 0 ? side : 0));
    const points = { count, total: count, x: along(0, 1), y: along(1, 2), z: along(2, 4), value: null, index: new Uint32Array(0) };
    return project(points, camera, width, height);
}

function traceCube(context: CanvasRenderingContext2D, { x, y }: { x: Float32Array; y: Float32Array }, first: number): void {
    for (let corner = 0; corner < 8; corner++)
        for (const bit of [1, 2, 4]) {
            if ((corner & bit) !== 0) continue;
            const other = first + (corner | bit);
            context.moveTo(x[first + corner] as number, y[first + corner] as number);
            context.lineTo(x[other] as number, y[other] as number);
        }
}

function drawGrid(context: CanvasRenderingContext2D, width: number, height: number, camera: Camera): void {
    const power = 10 ** Math.floor(Math.log10(80 / camera.scale));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((held) => held * camera.scale >= 60) ?? power * 10;
    context.strokeStyle = colour('line');
    context.fillStyle = colour('dim');
    context.font = '10px system-ui, sans-serif';
    context.lineWidth = 1;
    const line = (x1: number, y1: number, x2: number, y2: number) => {
        context.beginPath();
        context.moveTo(Math.round(x1) + 0.5, Math.round(y1) + 0.5);
        context.lineTo(Math.round(x2) + 0.5, Math.round(y2) + 0.5);
        context.stroke();
    };
    const [halfWidth, halfHeight] = [width / 2 / camera.scale, height / 2 / camera.scale];
    for (let x = Math.ceil((camera.x - halfWidth) / step) * step; x <= camera.x + halfWidth; x += step) {
        const at = width / 2 + (x - camera.x) * camera.scale;
        line(at, 0, at, height);
        context.fillText(float(Number(x.toPrecision(6))), at + 3, height - 4);
    }
    for (let y = Math.ceil((camera.y - halfHeight) / step) * step; y <= camera.y + halfHeight; y += step) {
        const at = height / 2 - (y - camera.y) * camera.scale;
        line(0, at, width, at);
        context.fillText(float(Number(y.toPrecision(6))), 3, at - 3);
    }
}
