// The frame around the views: navigation, top bar, states of the connection, notes, shortcuts.

import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { link, reconnect } from './client.ts';
import { dismiss, notes, undo } from './edits.ts';
import { charactersAct, isShortcut, isTyping, shortcuts } from './keys.ts';
import { Button, Dialog, State } from './parts/basics.tsx';
import { Icon } from './parts/icons.tsx';
import { run, TopBar } from './parts/top_bar.tsx';
import { goTo, route, type View, views } from './route.ts';
import { useCell } from './store.ts';
import { switchTheme } from './theme.ts';
import { EntitiesView } from './views/entities.tsx';
import { EntityView } from './views/entity.tsx';
import { EventsView } from './views/events.tsx';
import { ResourcesView } from './views/resources.tsx';
import { SpaceView } from './views/space.tsx';
import { StorageView } from './views/storage.tsx';
import { SystemsView } from './views/systems.tsx';
import { TimeView } from './views/time.tsx';
import { useWatchLoop } from './watches.ts';
import { useWorldLoops, world } from './world.ts';

const titles: Record<View, string> = {
    entities: 'Entities',
    entity: 'Entity',
    storage: 'Storage',
    systems: 'Systems',
    space: 'Space',
    time: 'Time',
    events: 'Events',
    resources: 'Resources',
};

const components: Record<View, () => preact.JSX.Element> = {
    entities: EntitiesView,
    entity: EntityView,
    storage: StorageView,
    systems: SystemsView,
    space: SpaceView,
    time: TimeView,
    events: EventsView,
    resources: ResourcesView,
};

export function App() {
    const { view } = useCell(route);
    const known = useCell(world) !== null;
    const connection = useCell(link);
    const [help, setHelp] = useState(false);
    useWorldLoops();
    useWatchLoop();
    useTitle(titles[view]);
    useLayoutEffect(() => {
        const onKey = (event: KeyboardEvent) => globalKey(event, () => setHelp((shown) => !shown));
        addEventListener('keydown', onKey);
        return () => removeEventListener('keydown', onKey);
    }, []);

    if (connection.state === 'denied') return <Denied />;
    const Shown = components[view];
    return (
        <div class="shell">
            <TopBar onHelp={() => setHelp(true)} />
            <Navigation view={view} />
            <main class={`view ${view}`} aria-label={titles[view]}>
                {known ? <Shown key={view} /> : <State kind="loading" title="Looking for the program …" />}
            </main>
            {connection.state === 'lost' && <Lost {...connection} />}
            <Notes />
            {help && <Help onClose={() => setHelp(false)} />}
        </div>
    );
}

/** Tabs and bookmarks show the name of the program, and the view. */
function useTitle(view: string): void {
    const name = useCell(world)?.title ?? 'Covey';
    useEffect(() => {
        document.title = `${name}: ${view}`;
    }, [name, view]);
}

function globalKey(event: KeyboardEvent, help: () => void): void {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'z' && !event.shiftKey) {
        if (isTyping(event)) return; // a field has its own undo
        event.preventDefault();
        void undo();
        return;
    }
    if (!isShortcut(event)) return;
    const view = views[Number(event.key) - 1];
    if (view) goTo(view);
    else if (event.key === '?') help();
    else if (event.key === 't') switchTheme();
    else if (event.key === 'p') void run({ paused: !world.value?.paused });
    else if (event.key === '.') void run({ step: 1 });
    else if (event.key === '/') focusQuery();
    else return;
    event.preventDefault();
}

function focusQuery(): void {
    goTo('entities');
    queueMicrotask(() => document.getElementById('query')?.focus()); // after the rendering, before the next key
}

function Navigation({ view }: { view: View }) {
    const about = useCell(world);
    const missing: Partial<Record<View, string>> = {};
    if (about && !about.schedule) missing.systems = 'no schedule was given to the inspector';
    if (about && !about.history) missing.time = 'no history was given to the inspector';
    return (
        <nav class="navigation" aria-label="Views">
            {views.map((name, i) => (
                <a
                    key={name}
                    href={`#/${name}`}
                    class={missing[name] ? 'missing' : ''}
                    aria-current={name === view ? 'page' : undefined}
                    title={missing[name] ?? `${titles[name]} (${i + 1})`}
                    onClick={(event) => {
                        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
                        event.preventDefault();
                        goTo(name);
                    }}
                >
                    <Icon name={name} />
                    <span class="label">{titles[name]}</span>
                    <kbd>{i + 1}</kbd>
                </a>
            ))}
        </nav>
    );
}

function Denied() {
    return (
        <div class="denied">
            <Icon name="lock" />
            <h1>This page has no key to the program</h1>
            <p>
                The inspector prints an address that ends with <code>#token=…</code>. Open that one. A program that was
                started again has a new address.
            </p>
        </div>
    );
}

function Lost({ why, again }: { why: string; again: number }) {
    const [left, setLeft] = useState(0);
    useEffect(() => {
        const show = () => setLeft(Math.max(0, Math.ceil((again - performance.now()) / 1000)));
        show();
        const timer = setInterval(show, 250);
        return () => clearInterval(timer);
    }, [again]);
    return (
        <div class="lost" role="alert">
            <span class="dot bad" aria-hidden="true" />
            <span>
                <strong>Disconnected.</strong> {why} What you see is the last that is known.
            </span>
            <span class="dim">{left > 0 ? `Trying again in ${left} s` : 'Trying again …'}</span>
            <Button label="Try now" onClick={reconnect} />
        </div>
    );
}

function Notes() {
    const shown = useCell(notes);
    return (
        <div class="notes" role="status" aria-live="polite">
            {shown.map((note) => (
                <div key={note.number} class={`note ${note.kind}`}>
                    <span class="text">{note.text}</span>
                    {note.undo !== undefined && <Button icon="undo" label="Undo" onClick={() => void undo(note.undo)} />}
                    <Button icon="close" label="Dismiss" bare onClick={() => dismiss(note.number)} />
                </div>
            ))}
        </div>
    );
}

function Help({ onClose }: { onClose: () => void }) {
    const single = useCell(charactersAct);
    return (
        <Dialog title="Keyboard" onClose={onClose} class="help">
            <div class="groups">
                {shortcuts.map((group) => (
                    <section key={group.title}>
                        <h3>{group.title}</h3>
                        <dl>
                            {group.list.map((shortcut) => (
                                <div key={shortcut.keys}>
                                    <dt>
                                        <kbd>{shortcut.keys}</kbd>
                                    </dt>
                                    <dd>{shortcut.text}</dd>
                                </div>
                            ))}
                        </dl>
                    </section>
                ))}
            </div>
            <div class="actions">
                <label class="check">
                    <input type="checkbox" checked={single} onChange={(event) => charactersAct.set(event.currentTarget.checked)} />
                    Shortcuts of one character, such as P and 1
                </label>
                <Button label="Close" onClick={onClose} />
            </div>
        </Dialog>
    );
}
