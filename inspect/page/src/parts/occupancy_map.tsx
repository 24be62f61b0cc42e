// The occupancy of a pool: a bar for each block of 64 indices. Its length is the count, its colour the form of the block.

import { type Blocks, forms, gap, gridOf, readBlocks } from '../blocks.ts';
import { useState } from 'preact/hooks';
import type { Pool } from '../api.ts';
import { count, counted } from '../format.ts';
import { usePollBytes, withParams } from '../poll.ts';
import { useCell } from '../store.ts';
import { changes } from '../edits.ts';
import { colour } from '../theme.ts';
import { Pending, State } from './basics.tsx';
import { Canvas, type Size, type Surface } from './canvas.tsx';

export function OccupancyMap({ pool }: { pool: Pool }) {
    const [size, setSize] = useState<Size>({ width: 600, height: 300 });
    const [from, setFrom] = useState(0);
    const [hover, setHover] = useState<{ block: number; x: number; y: number } | null>(null);
    const all = Math.ceil(pool.ids / 64);
    const grid = gridOf(all, size);
    const shown = grid.columns * grid.rows;
    const first = Math.min(from, Math.max(0, all - shown));
    useCell(changes);
    const { data, error } = usePollBytes(all === 0 ? null : withParams('map', { type: pool.type, from: first, count: Math.min(shown, all - first) }), 200);

    if (all === 0) return <State title="The pool is empty">There is nothing to draw.</State>;
    if (!data) return <Pending error={error} what={`the map of ${pool.type}`} />;
    const blocks = readBlocks(data);
    const draw = ({ context }: Surface) => {
        const colours = forms.map((form) => colour(form.colour));
        for (let i = 0; i < Math.min(blocks.count, shown); i++) {
            const form = blocks.bytes[i * 2] as number;
            const fill = blocks.bytes[i * 2 + 1] as number;
            const x = Math.floor(i / grid.rows) * (grid.width + gap);
            const y = (i % grid.rows) * grid.height;
            const tall = grid.height > 3 ? grid.height - 1 : grid.height;
            context.fillStyle = colours[form === 0 ? 0 : 1] as string;
            context.fillRect(x, y, grid.width, tall);
            if (fill > 0) {
                context.fillStyle = (colours[form] ?? colours[5]) as string;
                context.fillRect(x, y, Math.max(1, (fill / 64) * grid.width), tall);
            }
        }
    };
    const look = (event: PointerEvent) => {
        const x = event.offsetX;
        const y = event.offsetY;
        const column = Math.floor(x / (grid.width + gap));
        const row = Math.floor(y / grid.height);
        const block = column * grid.rows + row;
        setHover(row < grid.rows && column < grid.columns && block < blocks.count ? { block, x, y } : null);
    };
    return (
        <div class="occupancy">
            <Legend blocks={blocks} />
            <div class="drawing">
                <Canvas label={`Occupancy of ${pool.type}: ${counted(all, 'block')} of 64 indices`} draw={draw} onSize={setSize} onPointerMove={look} onPointerLeave={() => setHover(null)} />
                {hover && <BlockTip blocks={blocks} first={first} {...hover} size={size} />}
            </div>
            {all > shown && (
                <label class="range">
                    <span class="dim">
                        blocks {count(first)} to {count(Math.min(all, first + shown) - 1)} of {count(all)}
                    </span>
                    <input type="range" min={0} max={all - shown} step={grid.rows} value={first} aria-label="First block" onInput={(event) => setFrom(Number(event.currentTarget.value))} />
                </label>
            )}
        </div>
    );
}

function Legend({ blocks }: { blocks: Blocks }) {
    const counts = forms.map(() => 0);
    for (let i = 0; i < blocks.count; i++) {
        const form = blocks.bytes[i * 2] as number;
        counts[form] = (counts[form] ?? 0) + 1;
    }
    return (
        <ul class="legend" aria-label="Forms of blocks">
            {forms.map((form, i) =>
                counts[i] ? (
                    <li key={form.name} title={form.text}>
                        <span class={`key ${form.colour}`} aria-hidden="true" />
                        {form.name} <span class="dim">{count(counts[i] as number)}</span>
                    </li>
                ) : null,
            )}
        </ul>
    );
}

function BlockTip(props: { blocks: Blocks; first: number; block: number; x: number; y: number; size: Size }) {
    const form = forms[props.blocks.bytes[props.block * 2] as number] ?? forms[5];
    const fill = props.blocks.bytes[props.block * 2 + 1] as number;
    const number = props.first + props.block;
    const left = Math.min(props.x + 12, props.size.width - 190);
    return (
        <div class="tip" style={{ left: `${Math.max(0, left)}px`, top: `${Math.min(props.y + 12, props.size.height - 54)}px` }}>
            <strong>Block {count(number)}</strong>
            <span>
                indices {count(number * 64)} to {count(number * 64 + 63)}
            </span>
            <span>
                {form.name}, {fill} of 64
            </span>
        </div>
    );
}
