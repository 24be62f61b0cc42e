// What each thread did in the last frames.

import { clampRange, type Range, tickLength, zoomRange } from '../range.ts';
import { useRef, useState } from 'preact/hooks';
import type { Timeline } from '../api.ts';
import { count, moved, time } from '../format.ts';
import { usePoll } from '../poll.ts';
import { colour, hue } from '../theme.ts';
import { Button, Pending, State } from './basics.tsx';
import { Canvas, type Size, type Surface } from './canvas.tsx';

const axis = 18;
const left = 64;

export function TimelineView({ names }: { names: readonly string[] }) {
    const [held, setHeld] = useState<Timeline | null>(null);
    const { data, error } = usePoll<Timeline>(held ? null : 'timeline?frames=6', 200);
    const [view, setView] = useState<Range | null>(null);
    const [tip, setTip] = useState<{ x: number; y: number; text: string[] } | null>(null);
    const drag = useRef<{ x: number; range: Range } | null>(null);
    const size = useRef<Size>({ width: 0, height: 0 });
    const shown = held ?? data;
    if (!shown) return <Pending error={error} what="the timeline" />;
    if (shown.frames.length === 0) return <State title="No frame has run yet">Pieces of systems appear here as soon as the schedule runs.</State>;

    const begin = shown.frames[0]?.at ?? 0;
    const end = Math.max(...shown.frames.map((frame) => frame.at + frame.length));
    const whole = Math.max(1, end - begin);
    const range = view ? clampRange(view, whole) : { from: 0, to: whole };
    const named = shown.systems ?? names;
    const xOf = (t: number, width: number) => left + ((t - range.from) / (range.to - range.from)) * (width - left);
    const tOf = (x: number) => range.from + ((x - left) / (size.current.width - left)) * (range.to - range.from);
    const lane = (height: number) => Math.min(34, (height - axis) / Math.max(1, shown.threads));

    const hold = () => setHeld(shown);
    const zoom = (factor: number, around: number) => {
        hold();
        setView(zoomRange(range, factor, around, whole));
    };
    const move = (part: number) => {
        hold();
        const by = (range.to - range.from) * part;
        setView(clampRange({ from: range.from + by, to: range.to + by }, whole));
    };

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
        drawAxis(context, width, height, range, xOf);
        context.save();
        context.beginPath();
        context.rect(left, 0, width - left, height);
        context.clip();
        for (const frame of shown.frames) {
            const x = Math.round(xOf(frame.at - begin, width)) + 0.5;
            context.strokeStyle = colour('dim');
            context.setLineDash([3, 3]);
            context.beginPath();
            context.moveTo(x, axis);
            context.lineTo(x, height);
            context.stroke();
            context.setLineDash([]);
            for (const piece of frame.pieces) {
                const x1 = xOf(frame.at - begin + piece.begin, width);
                const x2 = xOf(frame.at - begin + piece.end, width);
                if (x2 < left || x1 > width) continue;
                const wide = Math.max(x2 - x1, 1);
                const y = axis + piece.thread * rows + 2;
                context.fillStyle = hue(piece.system);
                context.globalAlpha = piece.replay ? 0.55 : 1;
                context.fillRect(x1, y, wide > 3 ? wide - 0.5 : wide, rows - 4);
                context.globalAlpha = 1;
                if (wide > 40) {
                    context.save();
                    context.beginPath();
                    context.rect(x1, y, wide - 4, rows - 4);
                    context.clip();
                    context.fillStyle = '#10131a';
                    context.fillText(nameOf(named, piece.system), Math.max(x1, left) + 5, y + (rows - 4) / 2);
                    context.restore();
                }
            }
        }
        context.restore();
    };

    const look = (event: PointerEvent) => {
        const start = drag.current;
        if (start) {
            const by = ((start.x - event.offsetX) / (size.current.width - left)) * (start.range.to - start.range.from);
            setView(clampRange({ from: start.range.from + by, to: start.range.to + by }, whole));
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
                const text = [nameOf(named, piece.system), `${piece.replay ? 'commands of piece' : 'piece'} ${piece.piece}: ${time(to - from)}`, `begins ${time(piece.begin)} into the frame`];
                const said = moved(piece.bytes, piece.blocked);
                if (said) text.push(said);
                return setTip({ x: event.offsetX, y: event.offsetY, text });
            }
        setTip(null);
    };
    return (
        <div class="timeline">
            <div class="drawing" style={{ height: `${axis + Math.max(1, shown.threads) * 34 + 2}px` }}>
                <Canvas
                    label={`Timeline of the last ${count(shown.frames.length)} frames on ${shown.threads} threads`}
                    draw={draw}
                    onSize={(next) => {
                        size.current = next;
                    }}
                    onPointerDown={(event) => {
                        (event.currentTarget as Element).setPointerCapture(event.pointerId);
                        drag.current = { x: event.offsetX, range };
                        hold();
                    }}
                    onPointerMove={look}
                    onPointerUp={() => {
                        drag.current = null;
                    }}
                    onPointerLeave={() => setTip(null)}
                    onWheel={(event) => {
                        event.preventDefault();
                        zoom(event.deltaY > 0 ? 1.2 : 1 / 1.2, tOf(event.offsetX));
                    }}
                    onKeyDown={(event) => {
                        const middle = (range.from + range.to) / 2;
                        if (event.key === '+' || event.key === '=') zoom(0.7, middle);
                        else if (event.key === '-') zoom(1 / 0.7, middle);
                        else if (event.key === 'ArrowLeft') move(-0.1);
                        else if (event.key === 'ArrowRight') move(0.1);
                        else if (event.key === '0') setView(null);
                        else return;
                        event.preventDefault();
                    }}
                />
                {tip && (
                    <div class="tip" style={{ left: `${Math.min(tip.x + 12, size.current.width - 180)}px`, top: `${tip.y + 12}px` }}>
                        <strong>{tip.text[0]}</strong>
                        <span>{tip.text[1]}</span>
                        <span>{tip.text[2]}</span>
                    </div>
                )}
            </div>
            <div class="timeline-actions">
                <Button
                    icon={held ? 'play' : 'pause'}
                    label={held ? 'Live' : 'Hold'}
                    pressed={held !== null}
                    onClick={() => {
                        setHeld(held ? null : shown);
                        if (held) setView(null);
                    }}
                />
                <span class="dim">
                    {count(shown.frames.length)} frames, {time(whole)}. Wheel: zoom; drag: move.
                </span>
            </div>
        </div>
    );
}

const nameOf = (names: readonly string[], system: number): string => names[system] ?? `system ${system}`;

function drawAxis(context: CanvasRenderingContext2D, width: number, height: number, range: Range, xOf: (t: number, width: number) => number): void {
    const step = tickLength(range.to - range.from, Math.max(2, width / 110));
    context.fillStyle = colour('dim');
    context.strokeStyle = colour('line');
    for (let t = Math.ceil(range.from / step) * step; t <= range.to; t += step) {
        const x = Math.round(xOf(t, width)) + 0.5;
        context.beginPath();
        context.moveTo(x, axis - 4);
        context.lineTo(x, height);
        context.stroke();
        if (x < width - 30) context.fillText(time(t), x + 3, axis / 2);
    }
}
