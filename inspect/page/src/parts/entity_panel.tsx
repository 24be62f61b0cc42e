// One entity: its name, its parent and children, its components with live values, and edits.

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Component, Entity, EntityDetail, Sources, SystemOfEntity, Type, Value } from '../api.ts';
import { changes, edit } from '../edits.ts';
import { count, hexRows, nullEntity } from '../format.ts';
import { isShortcut } from '../keys.ts';
import { usePoll, withParams } from '../poll.ts';
import { queryOfSources } from '../query.ts';
import { goTo, selectEntity, showQuery } from '../route.ts';
import { useCell } from '../store.ts';
import { isWatched, toggleWatch, watches } from '../watches.ts';
import { types, world } from '../world.ts';
import { AddComponent } from './add_component.tsx';
import { Button, Confirm, EntityLink, Pending, State, Switch } from './basics.tsx';
import { type Actions, Fields } from './field_editor.tsx';
import { Icon } from './icons.tsx';
import { WatchList } from './watch_list.tsx';

export function EntityPanel(props: { e: Entity; onClose?: () => void; /** The number of a past state, which is read only. */ snapshot?: number; wide?: boolean }) {
    const { e, snapshot } = props;
    const path = snapshot === undefined ? withParams('entity', { e }) : withParams('time/entity', { e, number: snapshot });
    const { data, error, refresh } = usePoll<EntityDetail>(path, snapshot === undefined ? 100 : 1000);
    const write = (useCell(world)?.write ?? false) && snapshot === undefined;
    const changed = useCell(changes);
    useEffect(refresh, [changed]);

    if (!data)
        return (
            <div class="entity-panel">
                {error?.body.code === 'DEAD' || error?.status === 404 ? <Gone e={e} {...(props.onClose ? { onClose: props.onClose } : {})} /> : <Pending error={error} what={`entity ${e}`} />}
            </div>
        );
    if (!data.alive)
        return (
            <div class="entity-panel">
                <Gone e={e} {...(props.onClose ? { onClose: props.onClose } : {})} />
                <SourcesOf e={e} sources={data.sources ?? []} />
            </div>
        );
    return (
        <div class={`entity-panel ${props.wide ? 'wide' : ''} ${data.enabled ? '' : 'disabled'}`}>
            <Head entity={data} write={write} past={snapshot !== undefined} {...(props.onClose ? { onClose: props.onClose } : {})} />
            <div class="parts">
                <Place entity={data} write={write} />
                <SourcesOf e={e} sources={data.sources ?? []} />
                {snapshot === undefined && <Systems e={e} />}
                <Components entity={data} write={write} past={snapshot !== undefined} />
                {snapshot === undefined && !props.wide && <WatchList />}
            </div>
        </div>
    );
}

function Gone({ e, onClose }: { e: Entity; onClose?: () => void }) {
    return (
        <State title={`Entity ${e} is not alive`}>
            It was destroyed, or never existed. {onClose && <button type="button" class="link" onClick={onClose}>Close</button>}
        </State>
    );
}

const titleOf = (entity: EntityDetail): string => (entity.name ? `${entity.name} (${entity.e})` : entity.e);

function Head(props: { entity: EntityDetail; write: boolean; past: boolean; onClose?: () => void }) {
    const { entity, write } = props;
    const [renaming, setRenaming] = useState(false);
    const [asking, setAsking] = useState(false);
    useLayoutEffect(() => {
        if (!write) return;
        const onKey = (event: KeyboardEvent) => {
            if (!isShortcut(event)) return;
            if (event.key === 'F2') setRenaming(true);
            else if (event.key === 'd') void duplicate();
            else if (event.key === 'Delete') setAsking(true);
            else return;
            event.preventDefault();
        };
        addEventListener('keydown', onKey);
        return () => removeEventListener('keydown', onKey);
    }, [write, entity.e]);
    const duplicate = async () => {
        const answer = await edit({ do: 'duplicate', e: entity.e }, `Duplicated ${titleOf(entity)}`);
        if (answer?.e) selectEntity(answer.e);
    };
    const destroy = async () => {
        setAsking(false);
        if (await edit({ do: 'destroy', e: entity.e }, `Destroyed ${titleOf(entity)}`)) props.onClose?.();
    };
    return (
        <header class="entity-head">
            <div class="title">
                {renaming ? (
                    <NameInput entity={entity} onDone={() => setRenaming(false)} />
                ) : (
                    <h2>
                        <span class={entity.name ? 'name' : 'name dim'}>{entity.name || 'no name'}</span>
                        {write && <Button icon="edit" label="Rename (F2)" bare onClick={() => setRenaming(true)} />}
                    </h2>
                )}
                <code class="id" title="index:generation">
                    {entity.e}
                </code>
                {props.past && <span class="badge">past state</span>}
            </div>
            <div class="actions">
                {(write || !entity.enabled) && (
                    <Switch
                        label={entity.enabled ? 'Enabled: switch it off' : 'Disabled: switch it on'}
                        on={entity.enabled}
                        disabled={!write}
                        onChange={(on) => void edit({ do: on ? 'enable' : 'disable', e: entity.e }, `${on ? 'Enabled' : 'Disabled'} ${titleOf(entity)}`)}
                    />
                )}
                {write && <Button icon="copy" label="Duplicate, with all below it (D)" bare onClick={() => void duplicate()} />}
                {write && <Button icon="trash" label="Destroy (Del)" bare onClick={() => setAsking(true)} />}
                {props.onClose && <Button icon="close" label="Close the entity" bare onClick={props.onClose} />}
            </div>
            {asking && (
                <Confirm
                    title={`Destroy ${titleOf(entity)}?`}
                    text={
                        <>
                            Its {entity.components.length} {entity.components.length === 1 ? 'component goes' : 'components go'} with it
                            {fateOfChildren(entity.children.count)}. This cannot be undone.
                        </>
                    }
                    yes="Destroy"
                    onYes={() => void destroy()}
                    onNo={() => setAsking(false)}
                />
            )}
        </header>
    );
}

function fateOfChildren(children: number): string {
    if (children === 0) return '';
    return children === 1 ? ', and its child becomes a root' : `, and its ${count(children)} children become roots`;
}

function NameInput({ entity, onDone }: { entity: EntityDetail; onDone: () => void }) {
    const input = useRef<HTMLInputElement>(null);
    useLayoutEffect(() => input.current?.select(), []);
    const commit = () => {
        const name = input.current?.value ?? '';
        if (name !== (entity.name ?? '')) void edit({ do: 'rename', e: entity.e, name: name || null }, name ? `Renamed ${entity.e} to ${name}` : `Removed the name of ${entity.e}`);
        onDone();
    };
    return (
        <input
            ref={input}
            class="rename"
            type="text"
            aria-label="Name"
            defaultValue={entity.name ?? ''}
            placeholder="no name"
            onKeyDown={(event) => {
                if (event.key === 'Enter') commit();
                else if (event.key === 'Escape') onDone();
            }}
            onBlur={onDone}
        />
    );
}

function Place({ entity, write }: { entity: EntityDetail; write: boolean }) {
    const [changing, setChanging] = useState(false);
    const parent = entity.parent && entity.parent !== nullEntity ? entity.parent : null;
    const set = (text: string) => {
        setChanging(false);
        const wanted = text.trim();
        if (wanted === (parent ?? '')) return;
        void edit({ do: 'parent', e: entity.e, parent: wanted || null }, wanted ? `Moved ${titleOf(entity)} below ${wanted}` : `Made ${titleOf(entity)} a root`);
    };
    return (
        <div class="place">
            <span class="dim">Parent</span>
            <span>
                {changing ? (
                    <input
                        type="text"
                        class="parent"
                        aria-label="Parent: index:generation; empty for none"
                        placeholder="index:generation"
                        defaultValue={parent ?? ''}
                        ref={(input) => input?.focus()}
                        onKeyDown={(event) => {
                            if (event.key === 'Enter') set(event.currentTarget.value);
                            else if (event.key === 'Escape') setChanging(false);
                        }}
                        onBlur={() => setChanging(false)}
                    />
                ) : (
                    <>
                        {parent ? <EntityLink e={parent} name={entity.parent_name} /> : <span class="dim">none</span>}
                        {write && <Button icon="edit" label="Change the parent" bare onClick={() => setChanging(true)} />}
                    </>
                )}
            </span>
            {entity.children.count > 0 && (
                <>
                    <span class="dim">Children</span>
                    <span class="children">
                        {entity.children.first.slice(0, 12).map((child) => (
                            <EntityLink key={child.e} e={child.e} name={child.name} />
                        ))}
                        {entity.children.count > 12 && <span class="dim">and {count(entity.children.count - 12)} more</span>}
                    </span>
                </>
            )}
        </div>
    );
}

const shownSources = 12;

/** Who points at the entity, by the lookups of entity fields. */
function SourcesOf({ e, sources }: { e: Entity; sources: readonly Sources[] }) {
    const some = sources.filter((source) => source.count > 0);
    if (sources.length === 0) return null;
    return (
        <div class="place sources" role="group" aria-label="Who points at the entity">
            <span class="dim">Sources</span>
            {some.length === 0 && <span class="dim">none points at it</span>}
            {some.map((source) => (
                <span key={source.lookup} class="children" data-source={`${source.type}.${source.field}`}>
                    <span class="dim" title={`entities whose ${source.type}.${source.field} is ${e}`}>
                        {source.type}.{source.field} · {count(source.count)}
                    </span>
                    {source.first.slice(0, shownSources).map((from) => (
                        <EntityLink key={from.e} e={from.e} name={from.name} />
                    ))}
                    {source.count > shownSources && (
                        <button type="button" class="link" title="List all of them" onClick={() => showQuery(queryOfSources(source.type, source.field, e))}>
                            {count(source.count - shownSources)} more …
                        </button>
                    )}
                </span>
            ))}
        </div>
    );
}

/** The systems that iterate the entity, in the order in which they run. */
function Systems({ e }: { e: Entity }) {
    const scheduled = useCell(world)?.schedule ?? false;
    const { data } = usePoll<{ systems: SystemOfEntity[] }>(scheduled ? withParams('entity/systems', { e }) : null, 1000);
    if (!data) return null;
    return (
        <div class="place" role="group" aria-label="Systems of the entity">
            <span class="dim">Systems</span>
            <span class="children">
                {data.systems.length === 0 && <span class="dim">none iterates it</span>}
                {data.systems.map((system) => (
                    <button key={system.name} type="button" class={`link ${system.on ? '' : 'dim'}`} title={usesOf(system)} onClick={() => goTo('systems')}>
                        {system.name}
                    </button>
                ))}
            </span>
        </div>
    );
}

function usesOf(system: SystemOfEntity): string {
    const uses = [system.writes.length > 0 && `writes ${system.writes.join(', ')}`, system.reads.length > 0 && `reads ${system.reads.join(', ')}`, !system.on && 'switched off'];
    return uses.filter(Boolean).join('; ');
}

function Components({ entity, write, past }: { entity: EntityDetail; write: boolean; past: boolean }) {
    const known = useCell(types);
    return (
        <div class="components">
            {entity.components.length === 0 && <State title="No components" />}
            {entity.components.map((component) => (
                <ComponentPart key={component.type} entity={entity} component={component} type={known.find((type) => type.name === component.type)} write={write} past={past} />
            ))}
            {write && <AddComponent e={entity.e} have={entity.components.map((component) => component.type)} />}
        </div>
    );
}

const ago = (ticks: number): string => (ticks === 0 ? 'now' : ticks === 1 ? '1 tick ago' : `${count(ticks)} ticks ago`);

const closed = new Set<string>(); // types that the user collapsed, for all entities

function ComponentPart(props: { entity: EntityDetail; component: Component; type: Type | undefined; write: boolean; past: boolean }) {
    const { entity, component, type, write } = props;
    const [open, setOpen] = useState(!closed.has(component.type));
    const tick = useCell(world)?.tick ?? 0;
    useCell(watches);
    const toggle = () => {
        if (open) closed.add(component.type);
        else closed.delete(component.type);
        setOpen(!open);
    };
    const actions: Actions = { owner: component.type };
    if (write && component.edit !== false)
        actions.set = (path: string, value: Value, text: string) =>
            void edit({ do: 'set', e: entity.e, type: component.type, path, value }, `Set ${component.type}.${path} to ${text}`);
    if (!props.past) {
        actions.watch = (path) => toggleWatch({ e: entity.e, path: `${component.type}.${path}` });
        actions.isWatched = (path) => isWatched({ e: entity.e, path: `${component.type}.${path}` });
    }
    const tag = component.bytes === 0;
    return (
        <section class={`component ${component.enabled ? '' : 'disabled'}`} aria-label={component.type} data-type={component.type}>
            <header>
                <button type="button" class="disclose" aria-expanded={tag ? undefined : open} disabled={tag} onClick={toggle}>
                    <span class={`twist ${open && !tag ? 'open' : ''}`}>{!tag && <Icon name="open" />}</span>
                    <h3>{component.type}</h3>
                </button>
                <span class="about">
                    {component.tick !== undefined && tick >= component.tick && <span title={`changed at tick ${count(component.tick)}`}>{ago(tick - component.tick)}</span>}
                    <span>{tag ? 'tag' : `${component.bytes} B`}</span>
                </span>
                {!type?.internal && (write || !component.enabled) && (
                    <Switch
                        label={component.enabled ? `Disable ${component.type}` : `Enable ${component.type}`}
                        on={component.enabled}
                        disabled={!write}
                        onChange={(on) =>
                            void edit({ do: on ? 'enable' : 'disable', e: entity.e, type: component.type }, `${on ? 'Enabled' : 'Disabled'} ${component.type} of ${titleOf(entity)}`)
                        }
                    />
                )}
                {write && (
                    <Button
                        icon="close"
                        label={`Remove ${component.type}`}
                        bare
                        onClick={() => void edit({ do: 'remove', e: entity.e, type: component.type }, `Removed ${component.type} from ${titleOf(entity)}`)}
                    />
                )}
            </header>
            {open && !tag && (type?.fields && component.hex === undefined ? <Fields fields={type.fields} value={component.value} actions={actions} /> : <Hex hex={component.hex ?? ''} />)}
        </section>
    );
}

export function Hex({ hex }: { hex: string }) {
    const rows = hexRows(hex);
    const [most, setMost] = useState(16);
    return (
        <div class="hex" role="img" aria-label="bytes">
            {rows.slice(0, most).map((row) => (
                <div key={row.at}>
                    <span class="at">{row.at}</span>
                    <span class="bytes">{row.bytes}</span>
                    <span class="text">{row.text}</span>
                </div>
            ))}
            {rows.length > most && (
                <button type="button" class="link" onClick={() => setMost(rows.length)}>
                    {rows.length - most} more rows
                </button>
            )}
        </div>
    );
}

