// The input of a query, with completion below it, and errors under the word that caused them.

import { byteOfIndex, indexOfByte } from '../query.ts';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Completion, ErrorBody } from '../api.ts';
import { get } from '../client.ts';
import { withParams } from '../poll.ts';
import { Icon } from './icons.tsx';

export function QueryBox(props: { query: string; error: ErrorBody | null; onQuery: (query: string) => void }) {
    const input = useRef<HTMLInputElement>(null);
    const mirror = useRef<HTMLDivElement>(null);
    const [text, setText] = useState(props.query);
    const [words, setWords] = useState<(Completion & { of: string }) | null>(null);
    const [chosen, showChosen] = useState(-1); // -1: the list only shows what there is; Tab and Enter do not insert
    const choice = useRef(-1); // the same at once: a key may come before the next rendering
    const setChosen = (index: number) => showChosen((choice.current = index));
    const asks = useRef(0);

    useEffect(() => {
        if (props.query !== text.trim()) setText(props.query);
    }, [props.query]);

    /** Requests completions. Chooses the first one if a part of a word was typed; with `take`, inserts it. */
    const complete = async (query: string, at: number, { typed = false, take = false } = {}) => {
        const number = ++asks.current;
        try {
            const found = await get<Completion>(withParams('complete', { query: query || ' ', at: byteOfIndex(query, at) }));
            if (number !== asks.current || document.activeElement !== input.current) return;
            const [from, to] = [indexOfByte(query, found.from), indexOfByte(query, found.to)];
            const part = query.slice(from, to);
            const useful = found.words.filter((word) => word.text !== part);
            const isWhole = useful.length < found.words.length;
            const first = useful[0];
            const isPart = part !== '' && !isWhole;
            if (take && first && isPart) return replace(query, from, to, first.text);
            setWords(first ? { of: query, from, to, words: useful.slice(0, 50) } : null);
            setChosen(typed && isPart ? 0 : -1);
        } catch {
            setWords(null); // completion failed: typing still works
        }
    };
    const change = (next: string, at: number) => {
        setText(next);
        setChosen(0); // Tab may come before the new list: it then takes the first word of that
        props.onQuery(next.trim());
        void complete(next, at, { typed: true });
    };
    const take = (index: number) => {
        const word = words?.words[index];
        const typed = input.current?.value ?? text;
        if (!words || !word) return;
        if (words.of === typed) replace(typed, words.from, words.to, word.text);
        else void complete(typed, input.current?.selectionStart ?? typed.length, { take: true }); // the list is outdated: request a new one
    };
    const replace = (query: string, from: number, to: number, word: string) => {
        const next = query.slice(0, from) + word + query.slice(to);
        const at = from + word.length;
        asks.current++;
        setText(next);
        setWords(null);
        props.onQuery(next.trim());
        if (!input.current) return;
        input.current.value = next; // at once: a key may come before the next rendering
        input.current.focus();
        input.current.setSelectionRange(at, at);
    };
    const onKeyDown = (event: KeyboardEvent) => {
        const count = words?.words.length ?? 0;
        if (event.key === 'ArrowDown' && count > 0) setChosen((chosen + 1) % count);
        else if (event.key === 'ArrowUp' && count > 0) setChosen(chosen <= 0 ? count - 1 : chosen - 1);
        else if ((event.key === 'Enter' || event.key === 'Tab') && choice.current >= 0 && count > 0 && !event.shiftKey) take(choice.current);
        else if (event.key === 'Enter') setWords(null);
        else if (event.key === 'Escape') {
            if (count > 0) setWords(null);
            else input.current?.blur();
        } else if (event.key === ' ' && event.ctrlKey) void complete(text, input.current?.selectionStart ?? text.length, { typed: true });
        else return;
        event.preventDefault();
    };

    const error = props.error;
    const from = indexOfByte(text, error?.at ?? Infinity);
    const to = Math.max(from + 1, indexOfByte(text, (error?.at ?? Infinity) + (error?.length ?? 1)));
    return (
        <div class={`query-box ${error ? 'wrong' : ''}`}>
            <div class="line">
                <Icon name="search" />
                <div class="field">
                    <div class="mirror" ref={mirror} aria-hidden="true">
                        {error ? (
                            <>
                                {text.slice(0, from)}
                                <mark>{text.slice(from, to) || ' '}</mark>
                                {text.slice(to)}
                            </>
                        ) : null}
                    </div>
                    <input
                        ref={input}
                        id="query"
                        type="text"
                        role="combobox"
                        aria-label="Query"
                        aria-expanded={words !== null}
                        aria-controls="query-words"
                        aria-activedescendant={words && chosen >= 0 ? `query-word-${chosen}` : undefined}
                        aria-invalid={error !== null}
                        aria-describedby={error ? 'query-error' : undefined}
                        placeholder="Position, Velocity, !Frozen, Health.points < 10"
                        autocomplete="off"
                        spellcheck={false}
                        value={text}
                        onInput={(event) => change(event.currentTarget.value, event.currentTarget.selectionStart ?? 0)}
                        onKeyDown={onKeyDown}
                        onFocus={() => void complete(text, input.current?.selectionStart ?? text.length)}
                        onBlur={() => setTimeout(() => setWords(null), 120)}
                        onScroll={() => {
                            if (mirror.current && input.current) mirror.current.scrollLeft = input.current.scrollLeft;
                        }}
                    />
                </div>
                {text !== '' && (
                    <button type="button" class="button bare plain" aria-label="Clear the query" title="Clear the query" onClick={() => change('', 0)}>
                        <Icon name="close" />
                    </button>
                )}
                <kbd aria-hidden="true">/</kbd>
            </div>
            {words && (
                <ul class="words" id="query-words" role="listbox" aria-label="Completions">
                    {words.words.map((word, i) => (
                        <li
                            key={word.text}
                            id={`query-word-${i}`}
                            role="option"
                            aria-selected={i === chosen}
                            ref={(element) => {
                                if (i === chosen) element?.scrollIntoView({ block: 'nearest' });
                            }}
                            onMouseDown={(event) => {
                                event.preventDefault();
                                take(i);
                            }}
                        >
                            <code>{word.text}</code>
                            <span class="kind">{word.kind}</span>
                            <span class="detail">{word.detail}</span>
                        </li>
                    ))}
                </ul>
            )}
            {error && (
                <p class="error" id="query-error" role="alert">
                    <span class="caret" style={{ marginLeft: `${from}ch` }} aria-hidden="true">
                        ▲
                    </span>
                    <span>{error.text}</span>
                </p>
            )}
        </div>
    );
}
