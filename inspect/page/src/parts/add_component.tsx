import { isFuzzyMatch } from '../query.ts';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Entity } from '../api.ts';
import { edit } from '../edits.ts';
import { count, counted } from '../format.ts';
import { isShortcut } from '../keys.ts';
import { useCell } from '../store.ts';
import { types } from '../world.ts';
import { Button } from './basics.tsx';

/** A list of the types that an entity, or not all of several, have; with search. */
export function AddComponent({ e, have }: { e: Entity | readonly Entity[]; have: readonly string[] }) {
    const known = useCell(types);
    const [open, setOpen] = useState(false);
    const [search, setSearch] = useState('');
    const [chosen, setChosen] = useState(0);
    const box = useRef<HTMLDivElement>(null);
    const input = useRef<HTMLInputElement>(null);
    const found = known.filter((type) => !type.internal && !have.includes(type.name) && isFuzzyMatch(search, type.name));

    useLayoutEffect(() => {
        const onKey = (event: KeyboardEvent) => {
            if (event.key !== 'a' || !isShortcut(event)) return;
            event.preventDefault();
            setOpen(true);
        };
        addEventListener('keydown', onKey);
        return () => removeEventListener('keydown', onKey);
    }, []);
    useLayoutEffect(() => {
        if (!open) return;
        input.current?.focus();
        input.current?.scrollIntoView({ block: 'nearest' });
        const outside = (event: Event) => !box.current?.contains(event.target as Node) && setOpen(false);
        addEventListener('pointerdown', outside);
        return () => removeEventListener('pointerdown', outside);
    }, [open]);

    const add = (index: number) => {
        const type = found[index];
        if (!type) return;
        setOpen(false);
        setSearch('');
        setChosen(0);
        void edit({ do: 'add', e, type: type.name }, `Added ${type.name} to ${typeof e === 'string' ? e : counted(e.length, 'entity', 'entities')}`);
    };
    const onKeyDown = (event: KeyboardEvent) => {
        if (event.key === 'ArrowDown') setChosen(Math.min(chosen + 1, found.length - 1));
        else if (event.key === 'ArrowUp') setChosen(Math.max(chosen - 1, 0));
        else if (event.key === 'Enter') add(chosen);
        else if (event.key === 'Escape') setOpen(false);
        else return;
        event.preventDefault();
    };
    return (
        <div class="add-component" ref={box}>
            {!open && <Button icon="add" label="Add a component" onClick={() => setOpen(true)} title="Add a component (A)" />}
            {open && (
                <>
                    <input
                        ref={input}
                        type="text"
                        role="combobox"
                        aria-label="Component to add"
                        aria-expanded="true"
                        aria-controls="add-types"
                        aria-activedescendant={`add-type-${chosen}`}
                        placeholder="Search types"
                        autocomplete="off"
                        value={search}
                        onInput={(event) => {
                            setSearch(event.currentTarget.value);
                            setChosen(0);
                        }}
                        onKeyDown={onKeyDown}
                    />
                    <ul class="words" id="add-types" role="listbox" aria-label="Types">
                        {found.length === 0 && <li class="dim">No type has such a name, or the entity has it already.</li>}
                        {found.slice(0, 100).map((type, i) => (
                            <li key={type.name} id={`add-type-${i}`} role="option" aria-selected={i === chosen} onMouseDown={(event) => {
                                event.preventDefault();
                                add(i);
                            }}>
                                <code>{type.name}</code>
                                <span class="kind">{type.tag ? 'tag' : `${type.size} B`}</span>
                                <span class="detail">{count(type.count)}</span>
                            </li>
                        ))}
                    </ul>
                </>
            )}
        </div>
    );
}
