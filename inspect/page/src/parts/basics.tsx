// Small parts that all views use.

import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Entity } from '../api.ts';
import { ApiError } from '../client.ts';
import { selectEntity } from '../route.ts';
import { Icon, type IconName } from './icons.tsx';

export function Button(props: {
    icon?: IconName;
    label: string;
    /** Shows the icon only; the label is for screen readers, and shown on hover. */
    bare?: boolean;
    kind?: 'primary' | 'danger' | 'plain';
    disabled?: boolean;
    pressed?: boolean;
    title?: string;
    onClick: (event: MouseEvent) => void;
}) {
    return (
        <button
            type="button"
            class={`button ${props.kind ?? 'plain'} ${props.bare ? 'bare' : ''}`}
            disabled={props.disabled}
            aria-label={props.bare ? props.label : undefined}
            aria-pressed={props.pressed}
            title={props.title ?? (props.bare ? props.label : undefined)}
            onClick={props.onClick}
        >
            {props.icon && <Icon name={props.icon} />}
            {!props.bare && <span>{props.label}</span>}
        </button>
    );
}

export function Switch(props: { label: string; on: boolean; disabled?: boolean; hidden?: boolean; onChange: (on: boolean) => void }) {
    return (
        <label class="switch" title={props.label}>
            <input
                type="checkbox"
                role="switch"
                checked={props.on}
                disabled={props.disabled}
                aria-label={props.label}
                onChange={(event) => {
                    const input = event.currentTarget;
                    const wanted = input.checked;
                    input.checked = props.on; // the server's answer decides the state
                    props.onChange(wanted);
                }}
            />
            <span class="slot" />
        </label>
    );
}

/** An empty, loading or failed state. */
export function State(props: { title: string; children?: ComponentChildren; kind?: 'empty' | 'loading' | 'error' }) {
    return (
        <div class={`state ${props.kind ?? 'empty'}`} role={props.kind === 'error' ? 'alert' : 'status'}>
            {props.kind === 'loading' && <span class="spinner" aria-hidden="true" />}
            <strong>{props.title}</strong>
            {props.children && <p>{props.children}</p>}
        </div>
    );
}

/** What a view shows without an answer: that it is loading, or why it failed. */
export function Pending({ error, what }: { error: ApiError | null; what: string }) {
    if (!error) return <State kind="loading" title={`Asking for ${what} …`} />;
    if (error.status === 404)
        return <State title={`This program does not offer ${what}.`}>{error.body.text}</State>;
    return (
        <State kind="error" title={`There is no answer for ${what}.`}>
            {error.body.text}
        </State>
    );
}

export function EntityLink({ e, name, view }: { e: Entity; name?: string | null | undefined; view?: 'entities' | 'entity' }) {
    return (
        <button type="button" class="entity-link" title={`Go to ${e}`} onClick={() => selectEntity(e, view)}>
            {name ? <span class="name">{name}</span> : null}
            <code>{e}</code>
        </button>
    );
}

export function Panel(props: { title: ComponentChildren; class?: string; actions?: ComponentChildren; children: ComponentChildren; label?: string }) {
    return (
        <section class={`panel ${props.class ?? ''}`} aria-label={props.label ?? (typeof props.title === 'string' ? props.title : undefined)}>
            <header>
                <h2>{props.title}</h2>
                {props.actions && <div class="actions">{props.actions}</div>}
            </header>
            {props.children}
        </section>
    );
}

/** A part that scrolls, and that the keyboard can scroll if it does. */
export function Scroll({ class: name, label, children }: { class?: string; label: string; children: ComponentChildren }) {
    const box = useRef<HTMLDivElement>(null);
    const [scrolls, setScrolls] = useState(false);
    useLayoutEffect(() => {
        const element = box.current;
        if (!element) return;
        const measure = () => setScrolls(element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight);
        const observer = new ResizeObserver(measure);
        observer.observe(element);
        for (const child of element.children) observer.observe(child);
        return () => observer.disconnect();
    }, []);
    return (
        <div ref={box} class={`scroll ${name ?? ''}`} role={scrolls ? 'group' : undefined} aria-label={scrolls ? label : undefined} tabIndex={scrolls ? 0 : undefined}>
            {children}
        </div>
    );
}

/** A button that opens a part below it. Escape, or a click elsewhere, closes it. */
export function Popover(props: { icon: IconName; label: string; bare?: boolean; children: ComponentChildren }) {
    const [open, setOpen] = useState(false);
    const box = useRef<HTMLDivElement>(null);
    useEffect(() => {
        if (!open) return;
        const outside = (event: Event) => !box.current?.contains(event.target as Node) && setOpen(false);
        addEventListener('pointerdown', outside);
        return () => removeEventListener('pointerdown', outside);
    }, [open]);
    return (
        <div
            class="chooser"
            ref={box}
            onKeyDown={(event) => {
                if (event.key === 'Escape') setOpen(false);
            }}
        >
            <Button icon={props.icon} label={props.label} bare={props.bare ?? false} pressed={open} onClick={() => setOpen(!open)} />
            {open && (
                <div class="popover" role="group" aria-label={props.label}>
                    {props.children}
                </div>
            )}
        </div>
    );
}

/** A modal question. Escape, or a click outside it, answers no. */
export function Dialog(props: { title: string; children: ComponentChildren; onClose: () => void; class?: string }) {
    const ref = useRef<HTMLDialogElement>(null);
    useLayoutEffect(() => {
        const dialog = ref.current;
        dialog?.showModal();
        return () => dialog?.close();
    }, []);
    return (
        <dialog
            ref={ref}
            class={props.class}
            aria-label={props.title}
            onCancel={(event) => {
                event.preventDefault();
                props.onClose();
            }}
            onClick={(event) => event.target === ref.current && props.onClose()}
        >
            <div class="inside">
                <h2>{props.title}</h2>
                {props.children}
            </div>
        </dialog>
    );
}

export function Confirm(props: { title: string; text: ComponentChildren; yes: string; onYes: () => void; onNo: () => void }) {
    return (
        <Dialog title={props.title} onClose={props.onNo} class="confirm">
            <p>{props.text}</p>
            <div class="actions">
                <Button label="Cancel" onClick={props.onNo} />
                <Button label={props.yes} kind="danger" onClick={props.onYes} />
            </div>
        </Dialog>
    );
}
