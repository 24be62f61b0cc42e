// A list of any length, which renders only visible rows. Browsers limit the height of an element to some 10 to 30 million
// pixels. Longer lists have a scaled scroll bar, and the wheel moves them by rows, not by the bar.

import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

const mostPixels = 8_000_000;

export interface Geometry {
    count: number;
    rowHeight: number;
    /** Height of the visible part, below the header. */
    view: number;
}

/** Pixels of the list for each pixel of the scroll bar. */
export function scaleOf({ count, rowHeight, view }: Geometry): number {
    const whole = count * rowHeight;
    return whole <= mostPixels ? 1 : (whole - view) / (mostPixels - view);
}

export function clampTop(top: number, { count, rowHeight, view }: Geometry): number {
    return Math.max(0, Math.min(top, count * rowHeight - view));
}

/** The scroll position at which a row is visible, as near to the current one as possible. */
export function reveal(top: number, row: number, geometry: Geometry): number {
    const begin = row * geometry.rowHeight;
    if (begin < top) return begin;
    if (begin + geometry.rowHeight > top + geometry.view) return clampTop(begin + geometry.rowHeight - geometry.view, geometry);
    return top;
}

export function VirtualRows(props: {
    count: number;
    rowHeight: number;
    header?: ComponentChildren;
    headerHeight?: number;
    label: string;
    role: 'grid' | 'tree' | 'listbox';
    /** The row that has the focus; -1: none. */
    current: number;
    /** Called with the event, for its modifiers. */
    onCurrent: (row: number, event: KeyboardEvent | MouseEvent) => void;
    isMarked?: (row: number) => boolean;
    onKey?: (event: KeyboardEvent) => void;
    onEnter?: (row: number) => void;
    /** Called with the visible rows: the first, and the one after the last. */
    onWindow?: (first: number, last: number) => void;
    row: (index: number) => ComponentChildren;
    id: string;
}) {
    const box = useRef<HTMLDivElement>(null);
    const [view, setView] = useState(400);
    const [top, setTop] = useState(0);
    const headerHeight = props.headerHeight ?? 0;
    const geometry: Geometry = { count: props.count, rowHeight: props.rowHeight, view };
    const scale = scaleOf(geometry);
    const state = useRef({ top: 0, native: 0, geometry, scale });
    state.current.geometry = geometry;
    state.current.scale = scale;

    const moveTo = (wanted: number) => {
        const held = state.current;
        held.top = clampTop(wanted, held.geometry);
        held.native = Math.round(held.top / held.scale);
        if (box.current && Math.abs(box.current.scrollTop - held.native) >= 1) box.current.scrollTop = held.native;
        setTop(held.top);
    };

    useLayoutEffect(() => {
        const element = box.current;
        if (!element) return;
        const measure = () => setView(Math.max(element.clientHeight - headerHeight, props.rowHeight));
        measure();
        const observer = new ResizeObserver(measure);
        observer.observe(element);
        const onWheel = (event: WheelEvent) => {
            if (state.current.scale === 1 || event.ctrlKey || event.deltaY === 0) return;
            event.preventDefault();
            const unit = event.deltaMode === 1 ? props.rowHeight : event.deltaMode === 2 ? state.current.geometry.view : 1;
            moveTo(state.current.top + event.deltaY * unit);
        };
        element.addEventListener('wheel', onWheel, { passive: false });
        return () => {
            observer.disconnect();
            element.removeEventListener('wheel', onWheel);
        };
    }, []);

    // If the list has become shorter, scrolls back to its end.
    useLayoutEffect(() => {
        if (state.current.top > clampTop(state.current.top, geometry)) moveTo(state.current.top);
    }, [props.count, view]);

    const onScroll = () => {
        const held = state.current;
        const native = box.current?.scrollTop ?? 0;
        if (Math.abs(native - held.native) < 1.5 && held.scale !== 1) return;
        held.native = native;
        held.top = clampTop(native * held.scale, held.geometry);
        setTop(held.top);
    };

    const first = Math.floor(top / props.rowHeight);
    const last = Math.min(props.count, Math.ceil((top + view) / props.rowHeight));
    useEffect(() => props.onWindow?.(first, last), [first, last]);

    const go = (row: number, event: KeyboardEvent) => {
        const wanted = Math.max(0, Math.min(props.count - 1, row));
        props.onCurrent(wanted, event);
        moveTo(reveal(state.current.top, wanted, geometry));
    };
    const onKeyDown = (event: KeyboardEvent) => {
        props.onKey?.(event);
        if (event.defaultPrevented || props.count === 0 || event.ctrlKey || event.altKey || event.metaKey) return;
        const page = Math.max(1, Math.floor(view / props.rowHeight) - 1);
        const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page };
        const step = steps[event.key];
        if (step !== undefined) go(props.current < 0 ? (step > 0 ? first : last - 1) : props.current + step, event);
        else if (event.key === 'Home') go(0, event);
        else if (event.key === 'End') go(props.count - 1, event);
        else if (event.key === 'Enter' && props.current >= 0) props.onEnter?.(props.current);
        else return;
        event.preventDefault();
    };

    const slots = Math.ceil(view / props.rowHeight) + 1;
    const rows = [];
    for (let i = first; i < last; i++) {
        rows.push(
            <div
                key={i % slots}
                id={`${props.id}-${i}`}
                class={`vrow ${i === props.current ? 'current' : ''} ${i % 2 ? 'odd' : ''}`}
                role={props.role === 'grid' ? 'row' : props.role === 'tree' ? 'treeitem' : 'option'}
                aria-rowindex={props.role === 'grid' ? i + 1 : undefined}
                aria-selected={i === props.current || props.isMarked?.(i) === true}
                style={{ transform: `translateY(${i * props.rowHeight - top}px)`, height: `${props.rowHeight}px` }}
                onMouseDown={(event) => event.shiftKey && event.preventDefault()} // it would select text
                onClick={(event) => props.onCurrent(i, event)}
            >
                {props.row(i)}
            </div>,
        );
    }
    return (
        <div
            ref={box}
            class={`vlist ${props.role}`}
            role={props.role}
            aria-label={props.label}
            aria-multiselectable={props.isMarked ? true : undefined}
            aria-rowcount={props.role === 'grid' ? props.count : undefined}
            aria-activedescendant={props.current >= first && props.current < last ? `${props.id}-${props.current}` : undefined}
            tabIndex={0}
            onScroll={onScroll}
            onKeyDown={onKeyDown}
        >
            {props.header}
            <div class="vspace" style={{ height: `${Math.min(props.count * props.rowHeight, mostPixels)}px` }}>
                <div class="vrows" style={{ top: `${headerHeight}px` }}>
                    {rows}
                </div>
            </div>
        </div>
    );
}
