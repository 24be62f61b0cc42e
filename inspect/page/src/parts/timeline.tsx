// What each thread did in the last frames: one frame at first, and an overview of all below.

import { clampRange, frameIn, originOf, type Range, rangeOfFrame, tickLength, zoomRange } from '../range.ts';
import { useRef, useState } from 'preact/hooks';
import type { Piece, Timeline } from '../api.ts';
import { count, counted, moved, time, timeMark } from '../format.ts';
import { usePoll } from '../poll.ts';
import { colour, hue } from '../theme.ts';
import { Button, Pending, State } from './basics.tsx';
import { Canvas, type Size, type Surface } from './canvas.tsx';

const axis = 18;
const left = 64;
const most = 12; // frames that are requested

export function TimelineView({ names }: { names: readonly string[] }) {
    const [held, setHeld] = useState<Timeline | null>(null);
    const { data, error } = usePoll<Timeline>(held ? null : `timeline?frames=${most}`, 200);
    const [view, setView] = useState<Range | null>(null); // null: the newest frame
    const shown = held ?? data;
    if (!shown) return <Pending error={error} what="the timeline" />;
    const newest = shown.frames.at(-1);
    if (!newest) return <State title="No frame has run yet">Pieces of systems appear here as soon as the schedule runs.</State>;

    const begin = shown.frames[0]?.at ?? 0;
    const whole = Math.max(1, ...shown.frames.map((frame) => frame.at - begin + frame.length));
    const range = view ? clampRange(view, whole) : rangeOfFrame(newest, begin, whole);
    const chosen = frameIn(shown.frames, begin, range);
    const hold = (next: Range) => {
        setHeld(shown);
        setView(clampRange(next, whole));
    };
    const zoom = (factor: number, around = (range.from + range.to) / 2) => hold(zoomRange(range, factor, around, whole));
    const move = (part: number) => {
        const by = (range.to - range.from) * part;
        hold({ from: range.from + by, to: range.to + by });
    };
    const goToFrame = (index: number) => {
        const frame = shown.frames[Math.max(0, Math.min(shown.frames.length - 1, index))];
        if (frame) hold(rangeOfFrame(frame, begin, whole));
    };
    const showAll = () => hold({ from: 0, to: whole });
    const onKeyDown = (event: KeyboardEvent) => {
        if (event.key === '+' || event.key === '=') zoom(0.7);
        else if (event.key === '-') zoom(1 / 0.7);
        else if (event.key === 'ArrowLeft') move(-0.1);
        else if (event.key === 'ArrowRight') move(0.1);
        else if (event.key === 'PageUp') goToFrame(chosen - 1);
        else if (event.key === 'PageDown') goToFrame(chosen + 1);
        else if (event.key === '0') showAll();
        else return;
        event.preventDefault();
    };
    const frames = counted(shown.frames.length, 'frame');
    const threads = counted(shown.threads, 'thread');
    return (
        <div class="timeline">
            <Lanes shown={shown} begin={begin} range={range} names={shown.systems ?? names} label={`Timeline of ${threads}: ${time(range.to - range.from)} of the last ${frames}`} onRange={hold} onZoom={zoom} onKeyDown={onKeyDown} />
            <Overview shown={shown} begin={begin} whole={whole} range={range} label={`Overview of the last ${frames}`} onRange={hold} onKeyDown={onKeyDown} />
            <div class="timeline-actions">
                <Button
                    icon={held ? 'play' : 'pause'}
                    label={held ? 'Live' : 'Hold'}
                    pressed={held !== null}
                    onClick={() => {
                        setHeld(held ? null : shown);
                        setView(held ? null : range);
                    }}
                />
                <Button icon="previous" label="Previous frame (Page Up)" bare disabled={chosen === 0} onClick={() => goToFrame(chosen - 1)} />
                <Button icon="open" label="Next frame (Page Down)" bare disabled={chosen >= shown.frames.length - 1} onClick={() => goToFrame(chosen + 1)} />
                <Button icon="add" label="Zoom in (+)" bare onClick={() => zoom(0.7)} />
                <Button icon="less" label="Zoom out (−)" bare onClick={() => zoom(1 / 0.7)} />
                <Button icon="whole" label="Show all frames (0)" bare onClick={showAll} />
                <span class="dim">
                    Frame {count(chosen + 1)} of {count(shown.frames.length)}, {time(range.to - range.from)}. Wheel: zoom; drag: move.
                </span>
            </div>
        </div>
    );
}

interface LanesProps {
    shown: Timeline;
    /** The time of the first frame. */
    begin: number;
    range: Range;
    names: readonly string[];
    label: string;
    onRange: (range: Range) => void;
    onZoom: (factor: number, around: number) => void;
    onKeyDown: (event: KeyboardEvent) => void;
}

/** A row for each thread, with the pieces that it ran in a range. */
function Lanes({ shown, begin, range, names, label, onRange, onZoom, onKeyDown }: LanesProps) {
    const [tip, setTip] = useState<{ x: number; y: number; text: string[] } | null>(null);
    const drag = useRef<{ x: number; range: Range } | null>(null);
    const size = useRef<Size>({ width: 0, height: 0 });
    const xOf = (t: number, width: number) => left + ((t - range.from) / (range.to - range.from)) * (width - left);
    const tOf = (x: number) => range.from + ((x - left) / (size.current.width - left)) * (range.to - range.from);
    const lane = (height: number) => Math.min(34, (height - axis) / Math.max(1, shown.threads));

    const draw = ({ context, width, height }: Surface) => {
        const rows = lane(height);
        context.font = '11px system-ui, sans-serif';
        context.textBaseline = 'middle';
        for (let thread = 0; thread < shown.threads; thread++) {
            const y = axis + thread * rows;
            context.fillStyle = colour(thread % 2 ? 'panel' : 'stripe');
            context.fillRect(0, y, width, rows);
            context.fillStyle = colour('dim');
            context.fillText(`thread ${thread}`, 8, y + rows / 2);
        }
        drawAxis(context, width, height, range, originOf(shown.frames, begin, range), xOf);
        context.save();
        context.beginPath();
        context.rect(left, 0, width - left, height);
        context.clip();
        for (const frame of shown.frames) {
            drawFrameMark(context, Math.round(xOf(frame.at - begin, width)) + 0.5, height);
            for (const piece of frame.pieces) {
                const x1 = xOf(frame.at - begin + piece.begin, width);
                const x2 = xOf(frame.at - begin + piece.end, width);
                if (x2 >= left && x1 <= width) drawPiece(context, piece, x1, x2, axis + piece.thread * rows + 2, rows - 4, nameOf(names, piece.system));
            }
        }
        context.restore();
    };

    const look = (event: PointerEvent) => {
        const start = drag.current;
        if (start) {
            const by = ((start.x - event.offsetX) / (size.current.width - left)) * (start.range.to - start.range.from);
            onRange({ from: start.range.from + by, to: start.range.to + by });
            return;
        }
        const t = tOf(event.offsetX);
        const thread = Math.floor((event.offsetY - axis) / lane(size.current.height));
        const slack = ((range.to - range.from) / size.current.width) * 2;
        for (const frame of shown.frames)
            for (const piece of frame.pieces) {
                const from = frame.at - begin + piece.begin;
                const to = frame.at - begin + piece.end;
                if (piece.thread !== thread || t < from - slack || t > to + slack) continue;
                const text = [nameOf(names, piece.system), `${piece.replay ? 'commands of piece' : 'piece'} ${piece.piece}: ${time(to - from)}`, `begins ${time(piece.begin)} into the frame`];
                const said = moved(piece.bytes, piece.blocked);
                if (said) text.push(said);
                return setTip({ x: event.offsetX, y: event.offsetY, text });
            }
        setTip(null);
    };
    return (
        <div class="drawing" style={{ height: `${axis + Math.max(1, shown.threads) * 34 + 2}px` }}>
            <Canvas
                label={label}
                draw={draw}
                onSize={(next) => {
                    size.current = next;
                }}
                onPointerDown={(event) => {
                    (event.currentTarget as Element).setPointerCapture(event.pointerId);
                    drag.current = { x: event.offsetX, range };
                    onRange(range);
                }}
                onPointerMove={look}
                onPointerUp={() => {
                    drag.current = null;
                }}
                onPointerLeave={() => setTip(null)}
                onWheel={(event) => {
                    event.preventDefault();
                    onZoom(event.deltaY > 0 ? 1.2 : 1 / 1.2, tOf(event.offsetX));
                }}
                onKeyDown={onKeyDown}
            />
            {tip && (
                <div class="tip" style={{ left: `${Math.min(tip.x + 12, size.current.width - 180)}px`, top: `${tip.y + 12}px` }}>
                    <strong>{tip.text[0]}</strong>
                    {tip.text.slice(1).map((line) => (
                        <span key={line}>{line}</span>
                    ))}
                </div>
            )}
        </div>
    );
}

/** All frames in one line, and the range that is shown above. A click or a drag moves the range. */
function Overview(props: { shown: Timeline; begin: number; whole: number; range: Range; label: string; onRange: (range: Range) => void; onKeyDown: (event: KeyboardEvent) => void }) {
    const { shown, begin, whole, range } = props;
    const [dragging, setDragging] = useState(false);
    const size = useRef<Size>({ width: 0, height: 0 });
    const xOf = (t: number, width: number) => left + (t / whole) * (width - left);
    const draw = ({ context, width, height }: Surface) => {
        context.font = '11px system-ui, sans-serif';
        context.textBaseline = 'middle';
        context.fillStyle = colour('dim');
        context.fillText('all', 8, height / 2);
        const rows = (height - 8) / Math.max(1, shown.threads);
        for (const frame of shown.frames) {
            drawFrameMark(context, Math.round(xOf(frame.at - begin, width)) + 0.5, height, 0);
            for (const piece of frame.pieces) {
                const x1 = xOf(frame.at - begin + piece.begin, width);
                context.fillStyle = hue(piece.system);
                context.fillRect(x1, 4 + piece.thread * rows, Math.max(1, xOf(frame.at - begin + piece.end, width) - x1), Math.max(1, rows - 1));
            }
        }
        const x1 = Math.max(left, Math.min(xOf(range.from, width) - 1, width - 8));
        const x2 = Math.min(width, Math.max(xOf(range.to, width) + 1, x1 + 8));
        context.globalAlpha = 0.22;
        context.fillStyle = colour('accent');
        context.fillRect(x1, 0, x2 - x1, height);
        context.globalAlpha = 1;
        context.strokeStyle = colour('accent');
        context.strokeRect(x1 + 0.5, 0.5, x2 - x1 - 1, height - 1);
    };
    const centre = (event: PointerEvent) => {
        const half = (range.to - range.from) / 2;
        const at = ((event.offsetX - left) / (size.current.width - left)) * whole;
        props.onRange({ from: at - half, to: at + half });
    };
    return (
        <div class="drawing overview">
            <Canvas
                label={props.label}
                draw={draw}
                onSize={(next) => {
                    size.current = next;
                }}
                onPointerDown={(event) => {
                    (event.currentTarget as Element).setPointerCapture(event.pointerId);
                    setDragging(true);
                    centre(event);
                }}
                onPointerMove={(event) => dragging && centre(event)}
                onPointerUp={() => setDragging(false)}
                onKeyDown={props.onKeyDown}
            />
        </div>
    );
}

function drawFrameMark(context: CanvasRenderingContext2D, x: number, height: number, top = axis): void {
    context.strokeStyle = colour('dim');
    context.setLineDash([3, 3]);
    context.beginPath();
    context.moveTo(x, top);
    context.lineTo(x, height);
    context.stroke();
    context.setLineDash([]);
}

function drawPiece(context: CanvasRenderingContext2D, piece: Piece, x1: number, x2: number, y: number, height: number, name: string): void {
    const wide = Math.max(x2 - x1, 1);
    context.fillStyle = hue(piece.system);
    context.globalAlpha = piece.replay ? 0.55 : 1;
    context.fillRect(x1, y, wide > 3 ? wide - 0.5 : wide, height);
    context.globalAlpha = 1;
    if (wide <= 40) return;
    context.save();
    context.beginPath();
    context.rect(x1, y, wide - 4, height);
    context.clip();
    context.fillStyle = '#10131a';
    context.fillText(name, Math.max(x1, left) + 5, y + height / 2);
    context.restore();
}

const nameOf = (names: readonly string[], system: number): string => names[system] ?? `system ${system}`;

function drawAxis(context: CanvasRenderingContext2D, width: number, height: number, range: Range, origin: number, xOf: (t: number, width: number) => number): void {
    const step = tickLength(range.to - range.from, Math.max(2, width / 110));
    context.fillStyle = colour('dim');
    context.strokeStyle = colour('line');
    for (let mark = Math.ceil((range.from - origin) / step) * step; origin + mark <= range.to; mark += step) {
        const x = Math.round(xOf(origin + mark, width)) + 0.5;
        context.beginPath();
        context.moveTo(x, axis - 4);
        context.lineTo(x, height);
        context.stroke();
        if (x < width - 40) context.fillText(timeMark(mark, step), x + 3, axis / 2);
    }
}
