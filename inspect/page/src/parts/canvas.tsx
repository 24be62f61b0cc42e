// A canvas with the resolution of the screen. It is drawn again when its size, its content or the theme changes.

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useCell } from '../store.ts';
import { theme } from '../theme.ts';

export interface Surface {
    context: CanvasRenderingContext2D;
    /** In CSS pixels. */
    width: number;
    height: number;
}

export interface Size {
    width: number;
    height: number;
}

export function Canvas(props: {
    label: string;
    class?: string;
    draw: (surface: Surface) => void;
    /** Called with the size before the first drawing, and when the size changes. */
    onSize?: (size: Size) => void;
    onPointerDown?: (event: PointerEvent) => void;
    onPointerMove?: (event: PointerEvent) => void;
    onPointerUp?: (event: PointerEvent) => void;
    onPointerLeave?: (event: PointerEvent) => void;
    onWheel?: (event: WheelEvent) => void;
    onKeyDown?: (event: KeyboardEvent) => void;
}) {
    const canvas = useRef<HTMLCanvasElement>(null);
    const [size, setSize] = useState<Size>({ width: 0, height: 0 });
    const wheel = useRef(props.onWheel);
    wheel.current = props.onWheel;
    useCell(theme);

    useLayoutEffect(() => {
        const element = canvas.current;
        if (!element) return;
        const measure = () => {
            const next = { width: element.clientWidth, height: element.clientHeight };
            setSize(next);
            props.onSize?.(next);
        };
        measure();
        const observer = new ResizeObserver(measure);
        observer.observe(element);
        const onWheel = (event: WheelEvent) => wheel.current?.(event);
        element.addEventListener('wheel', onWheel, { passive: false });
        return () => {
            observer.disconnect();
            element.removeEventListener('wheel', onWheel);
        };
    }, []);

    useEffect(() => {
        const element = canvas.current;
        const context = element?.getContext('2d');
        if (!element || !context || size.width === 0 || size.height === 0) return;
        const ratio = devicePixelRatio || 1;
        const width = Math.round(size.width * ratio);
        const height = Math.round(size.height * ratio);
        if (element.width !== width) element.width = width;
        if (element.height !== height) element.height = height;
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        context.clearRect(0, 0, size.width, size.height);
        props.draw({ context, ...size });
    });

    return (
        <canvas
            ref={canvas}
            class={props.class}
            role="img"
            aria-label={props.label}
            tabIndex={props.onKeyDown ? 0 : undefined}
            onPointerDown={props.onPointerDown}
            onPointerMove={props.onPointerMove}
            onPointerUp={props.onPointerUp}
            onPointerLeave={props.onPointerLeave}
            onKeyDown={props.onKeyDown}
        />
    );
}
