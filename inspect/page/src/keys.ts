// Keyboard shortcuts. The list under '?' is made from this table.

import { keptCell } from './store.ts';

/** Whether shortcuts that are one character act. Who dictates, or types with another key map, can switch them off. */
export const charactersAct = keptCell('covey.keys', true);

export interface Shortcut {
    keys: string;
    text: string;
}

export const shortcuts: { title: string; list: Shortcut[] }[] = [
    {
        title: 'Everywhere',
        list: [
            { keys: '1 … 8', text: 'go to a view' },
            { keys: '/', text: 'type a query' },
            { keys: 'P', text: 'pause, go on' },
            { keys: '.', text: 'step one frame' },
            { keys: 'Ctrl Z', text: 'undo the last change' },
            { keys: 'T', text: 'dark or light' },
            { keys: '?', text: 'this list' },
            { keys: 'Esc', text: 'close, or leave a field' },
        ],
    },
    {
        title: 'Tables and trees',
        list: [
            { keys: '↑ ↓', text: 'row by row' },
            { keys: 'Page ↑ ↓, Home, End', text: 'further' },
            { keys: '→ ←', text: 'open and close a branch' },
            { keys: 'Enter', text: 'look at the entity' },
            { keys: 'Ctrl or Shift click', text: 'mark several entities, to edit them at once' },
            { keys: 'Space, Shift ↑ ↓', text: 'the same with the keyboard' },
        ],
    },
    {
        title: 'The selected entity',
        list: [
            { keys: 'F2', text: 'rename' },
            { keys: 'A', text: 'add a component' },
            { keys: 'D', text: 'duplicate, with all below it' },
            { keys: 'Del', text: 'destroy, after a question' },
            { keys: '↑ ↓ in a number', text: 'one up or down; with Shift 10, with Alt 0.1' },
        ],
    },
    {
        title: 'Canvases',
        list: [
            { keys: '+ −', text: 'zoom' },
            { keys: '↑ ↓ ← →', text: 'move' },
            { keys: '0', text: 'show all' },
            { keys: 'Page ↑ ↓', text: 'frame by frame, in the timeline' },
        ],
    },
];

/** Whether a key goes to the element that has the focus, because it takes text. */
export function isTyping(event: KeyboardEvent): boolean {
    const target = event.target as HTMLElement | null;
    if (!target || event.defaultPrevented || event.isComposing) return true;
    if (target.closest('dialog')) return true;
    const input = target.closest('input, textarea, select');
    return input !== null && !(input instanceof HTMLInputElement && ['checkbox', 'range', 'radio'].includes(input.type));
}

/** Whether a key is a shortcut: not text for a field, not with a modifier, not a character while these are off. */
export function isShortcut(event: KeyboardEvent): boolean {
    return !isTyping(event) && !hasModifier(event) && (event.key.length > 1 || charactersAct.value);
}

function hasModifier(event: KeyboardEvent): boolean {
    return event.ctrlKey || event.metaKey || event.altKey;
}

/** Moves the focus as Tab does. */
export function focusBehind(element: HTMLElement): void {
    const selector = 'a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, [tabindex]';
    const all = [...document.querySelectorAll<HTMLElement>(selector)].filter((found) => found.tabIndex >= 0 && found.getClientRects().length > 0);
    all[all.indexOf(element) + 1]?.focus();
}
