// The input of a query, with completion below it, and errors under the word that caused them.

import { byteOfIndex, indexOfByte } from '../query.ts';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Completion, ErrorBody } from '../api.ts';
import { get } from '../client.ts';
import { Completer, type List } from '../completer.ts';
import { focusBehind } from '../keys.ts';
import { withParams } from '../poll.ts';
import { Icon } from './icons.tsx';

export function QueryBox(props: { query: string; error: ErrorBody | null; onQuery: (query: string) => void }) {
    const input = useRef<HTMLInputElement>(null);
    const mirror = useRef<HTMLDivElement>(null);
    const [text, setText] = useState(props.query);
    const [list, setList] = useState<List | null>(null);
    const onQuery = useRef(props.onQuery);
    onQuery.current = props.onQuery;
    const cursor = () => input.current?.selectionStart ?? 0;
    const put = (next: string) => {
        setText(next);
        onQuery.current(next.trim());
    };
    const [completer] = useState(
        () =>
            new Completer({
                find: async (query, at) => {
                    const found = await get<Completion>(withParams('complete', { query: query || ' ', at: byteOfIndex(query, at) }));
                    return { ...found, from: indexOfByte(query, found.from), to: indexOfByte(query, found.to) };
                },
                show: setList,
                text: () => input.current?.value ?? '',
                replace: (from, to, word) => {
                    if (!input.current) return;
                    const at = cursor();
                    const end = from + word.length;
                    input.current.setRangeText(word, from, to);
                    const after = Math.max(end, at + end - to); // typed since, maybe
                    input.current.setSelectionRange(after, after);
                    put(input.current.value);
                },
                leave: () => {
                    if (input.current && document.activeElement === input.current) focusBehind(input.current);
                },
            }),
    );

    useLayoutEffect(() => {
        if (props.query !== text.trim()) setText(props.query);
    }, [props.query]);

    const change = (next: string, at: number) => {
        put(next);
        completer.complete(next, at, true);
    };
    const onKeyDown = (event: KeyboardEvent) => {
        if (event.isComposing) return;
        if (event.key === ' ' && event.ctrlKey) completer.complete(text, cursor(), true);
        else if (!['ArrowDown', 'ArrowUp', 'Enter', 'Tab', 'Escape'].includes(event.key) || event.shiftKey) return;
        else if (!completer.press(event.key)) {
            if (event.key === 'Escape') input.current?.blur();
            return;
        }
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
                        aria-expanded={list !== null}
                        aria-controls="query-words"
                        aria-activedescendant={list && list.chosen >= 0 ? `query-word-${list.chosen}` : undefined}
                        aria-invalid={error !== null}
                        aria-describedby={error ? 'query-error' : undefined}
                        placeholder="Position, Velocity, !Frozen, Health.points < 10"
                        autocomplete="off"
                        spellcheck={false}
                        value={text}
                        onInput={(event) => change(event.currentTarget.value, event.currentTarget.selectionStart ?? 0)}
                        onKeyDown={onKeyDown}
                        onFocus={() => completer.complete(text, cursor())}
                        onBlur={() => completer.close()}
                        onScroll={() => {
                            if (mirror.current && input.current) mirror.current.scrollLeft = input.current.scrollLeft;
                        }}
                    />
                </div>
                {text !== '' && (
                    <button type="button" class="button bare plain" aria-label="Clear the query" title="Clear the query" onClick={() => put('')}>
                        <Icon name="close" />
                    </button>
                )}
                <kbd aria-hidden="true">/</kbd>
            </div>
            {list && (
                <ul class="words" id="query-words" role="listbox" aria-label="Completions" onMouseDown={(event) => event.preventDefault()}>
                    {list.words.map((word, i) => (
                        <li
                            key={word.text}
                            id={`query-word-${i}`}
                            role="option"
                            aria-selected={i === list.chosen}
                            ref={(element) => {
                                if (i === list.chosen) element?.scrollIntoView({ block: 'nearest' });
                            }}
                            onMouseDown={() => completer.take(i, cursor())}
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
