import { keptCell, useCell } from '../store.ts';
import { Button, Popover } from './basics.tsx';

/** The newest first. The browser keeps them for the address of the inspector, which has a port. */
const saved = keptCell<readonly string[]>('covey.queries', []);
const most = 100;

export function SavedQueries({ query, wrong, onQuery }: { query: string; wrong: boolean; onQuery: (query: string) => void }) {
    const list = useCell(saved);
    const without = (text: string) => saved.value.filter((held) => held !== text);
    return (
        <Popover icon="star" label="Saved queries" bare>
            <Button icon="add" label="Save this query" disabled={query === '' || wrong || list.includes(query)} onClick={() => saved.set([query, ...without(query)].slice(0, most))} />
            {list.length === 0 && <p class="dim">Queries that you save are listed here.</p>}
            {list.map((text) => (
                <div class="saved-query" key={text}>
                    <button type="button" class="link" aria-current={text === query ? 'true' : undefined} onClick={() => onQuery(text)}>
                        {text}
                    </button>
                    <Button icon="close" label={`Forget ${text}`} bare onClick={() => saved.set(without(text))} />
                </div>
            ))}
        </Popover>
    );
}
