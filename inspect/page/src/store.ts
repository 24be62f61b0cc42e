import { useLayoutEffect, useState } from 'preact/hooks';

/** A value that components read; they are drawn again when it changes. */
export class Cell<T> {
    private readonly readers = new Set<() => void>();

    constructor(private held: T) {}

    get value(): T {
        return this.held;
    }

    set(value: T): void {
        if (Object.is(value, this.held)) return;
        this.held = value;
        for (const reader of [...this.readers]) reader();
    }

    update(change: (value: T) => T): void {
        this.set(change(this.held));
    }

    subscribe(reader: () => void): () => void {
        this.readers.add(reader);
        return () => this.readers.delete(reader);
    }
}

export function useCell<T>(cell: Cell<T>): T {
    const [, renew] = useState(0);
    useLayoutEffect(() => cell.subscribe(() => renew((n) => n + 1)), [cell]);
    return cell.value;
}

/** A cell that a browser tab remembers. */
export function keptCell<T>(key: string, fallback: T, storage: Storage = localStorage): Cell<T> {
    let value = fallback;
    try {
        const text = storage.getItem(key);
        if (text !== null) value = JSON.parse(text) as T;
    } catch {
        value = fallback; // storage is disabled, or has an invalid value
    }
    const cell = new Cell(value);
    cell.subscribe(() => {
        try {
            storage.setItem(key, JSON.stringify(cell.value));
        } catch {
            // Storage is disabled: the value is not remembered.
        }
    });
    return cell;
}
