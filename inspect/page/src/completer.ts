// Completions of a text while it is typed. A key that comes before the list it is for waits for this list, and what is
// typed after the key stays: so the same keys do the same at any speed.

import type { Completion } from './api.ts';

export interface List {
    of: string; // the text
    from: number; // where the word begins that is completed
    to: number;
    words: Completion['words'];
    chosen: number; // -1: the list only shows what there is; Tab and Enter do not insert
}

export interface Field {
    find: (text: string, at: number) => Promise<Completion>; // its offsets are those of the text
    show: (list: List | null) => void;
    text: () => string;
    replace: (from: number, to: number, word: string) => void;
    leave: () => void; // what Tab does if there is nothing to take
}

interface Ask {
    text: string;
    at: number;
    typed: boolean;
    keys: string[]; // pressed since
}

const most = 50; // words of a list

const step = (chosen: number, key: string, count: number): number =>
    key === 'ArrowDown' ? (chosen + 1) % count : chosen <= 0 ? count - 1 : chosen - 1;

export class Completer {
    private readonly asks: Ask[] = []; // the first one is in flight
    private list: List | null = null;

    constructor(private readonly field: Field) {}

    /** Requests the list of a text. Its first word is chosen if a part of a word was typed. */
    complete(text: string, at: number, typed = false): void {
        const last = this.asks.at(-1);
        if (this.asks.length > 1 && last?.keys.length === 0) this.asks.pop();
        this.asks.push({ text, at, typed, keys: [] });
        if (this.asks.length === 1) void this.answer();
    }

    /** Handles a key. Returns whether it is for the list, or for one that is still to come. */
    press(key: string): boolean {
        const awaited = this.asks.at(-1);
        const waits = awaited?.typed && awaited.text === this.field.text();
        if (key === 'Escape') return this.close();
        if (waits) awaited.keys.push(key);
        else if (key === 'Enter' || key === 'Tab') return this.takeChosen() || (key === 'Enter' && this.close());
        else if (this.list) this.display({ ...this.list, chosen: step(this.list.chosen, key, this.list.words.length) });
        else return false;
        return true;
    }

    /** Takes a word of the list, which may be older than the text. */
    take(index: number, cursor: number): void {
        const { list } = this;
        const word = list?.words[index];
        if (!list || !word || !this.field.text().startsWith(list.of.slice(0, list.from))) return;
        this.insert(list.from, list.of === this.field.text() ? list.to : Math.max(list.from, cursor), word.text);
    }

    /** Hides the list; one that is still to come is not shown. Returns whether there was one. */
    close(): boolean {
        const awaited = this.asks.at(-1);
        const any = this.list !== null || awaited?.typed === true;
        awaited?.keys.push('Escape');
        this.display(null);
        return any;
    }

    private display(list: List | null): void {
        this.list = list;
        this.field.show(list);
    }

    private takeChosen(): boolean {
        const { list } = this;
        const word = list?.words[list.chosen];
        if (!list || !word || list.of !== this.field.text()) return false;
        this.insert(list.from, list.to, word.text);
        return true;
    }

    private insert(from: number, to: number, word: string): void {
        const before = this.field.text().slice(0, to);
        for (const ask of this.asks) {
            if (!ask.text.startsWith(before)) continue; // of what was typed before
            ask.text = ask.text.slice(0, from) + word + ask.text.slice(to);
            if (ask.at >= to) ask.at += from + word.length - to;
        }
        this.display(null);
        this.field.replace(from, to, word);
    }

    /** Answers all requests in turn, one in flight at a time. */
    private async answer(): Promise<void> {
        for (let ask = this.asks[0]; ask; ask = this.asks[0]) {
            const { text, at } = ask;
            const list = await this.field.find(text, at).then((found) => listOf(text, found, ask.typed), () => null);
            this.asks.shift();
            this.settle(text, list, ask.keys);
        }
    }

    /** Does with a list what the keys say that came before it, and shows it if it is for the text as it is now. */
    private settle(text: string, list: List | null, keys: readonly string[]): void {
        const isNow = this.field.text() === text;
        const [key, ...others] = keys;
        const word = list?.words[list.chosen];
        if (key === undefined) {
            if (isNow) this.display(list);
        } else if (key === 'Escape') {
            this.settle(text, null, others);
        } else if (key.startsWith('Arrow')) {
            this.settle(text, list && { ...list, chosen: step(list.chosen, key, list.words.length) }, others);
        } else if (list && word && this.field.text().startsWith(text.slice(0, list.to))) {
            this.insert(list.from, list.to, word.text);
            if (others.length > 0) this.settle(this.field.text(), null, others);
        } else if (key === 'Tab' && isNow) this.field.leave();
        else if (isNow) this.display(null);
    }
}

function listOf(text: string, found: Completion, typed: boolean): List | null {
    const part = text.slice(found.from, found.to);
    const words = found.words.filter((word) => word.text !== part);
    const isPart = part !== '' && words.length === found.words.length;
    return words.length > 0 ? { of: text, from: found.from, to: found.to, words: words.slice(0, most), chosen: typed && isPart ? 0 : -1 } : null;
}
