// Several marked entities: the components that all of them have, and edits of all at once.

import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import type { CommonComponent, Entity, SeveralDetail, Type, Value } from '../api.ts';
import { changes, edit, type Edit } from '../edits.ts';
import { counted } from '../format.ts';
import { isShortcut } from '../keys.ts';
import { marks } from '../marks.ts';
import { usePoll } from '../poll.ts';
import { useCell } from '../store.ts';
import { types, world } from '../world.ts';
import { AddComponent } from './add_component.tsx';
import { Button, Confirm, Pending, State, Switch } from './basics.tsx';
import { type Actions, Fields } from './field_editor.tsx';

const entities = (n: number): string => counted(n, 'entity', 'entities');

/** Sends an edit of all entities. */
const editAll = (all: readonly Entity[], body: Edit, text: string) => edit({ ...body, e: all }, `${text} of ${entities(all.length)}`);

export function SeveralPanel({ all }: { all: readonly Entity[] }) {
    const { data, error, refresh } = usePoll<SeveralDetail>(`several?e=${all.join(',')}`, 200);
    const write = useCell(world)?.write ?? false;
    const changed = useCell(changes);
    useEffect(refresh, [changed]);
    if (!data) return <div class="entity-panel"><Pending error={error} what="the marked entities" /></div>;
    const common = data.components.filter((component) => component.count === data.alive);
    const others = data.components.filter((component) => component.count < data.alive);
    return (
        <div class="entity-panel several">
            <Head all={all} detail={data} write={write} />
            <div class="parts">
                <div class="components">
                    {data.alive === 0 && <State title="None of them is alive" />}
                    {common.map((component) => <Common key={component.type} all={all} component={component} alive={data.alive} write={write} />)}
                    {others.length > 0 && (
                        <div class="others">
                            <span class="dim">Only some have</span>
                            {others.map((component) => (
                                <span key={component.type} class="chip">
                                    {component.type} <span class="dim">{component.count}</span>
                                </span>
                            ))}
                        </div>
                    )}
                    {write && <AddComponent e={all} have={common.map((component) => component.type)} />}
                </div>
            </div>
        </div>
    );
}

function Head({ all, detail, write }: { all: readonly Entity[]; detail: SeveralDetail; write: boolean }) {
    const [asking, setAsking] = useState(false);
    useLayoutEffect(() => {
        if (!write) return;
        const onKey = (event: KeyboardEvent) => {
            if (!isShortcut(event) || event.key !== 'Delete') return;
            setAsking(true);
            event.preventDefault();
        };
        addEventListener('keydown', onKey);
        return () => removeEventListener('keydown', onKey);
    }, [write]);
    const destroy = async () => {
        setAsking(false);
        if (await edit({ do: 'destroy', e: all }, `Destroyed ${entities(all.length)}`)) marks.set([]);
    };
    const gone = all.length - detail.alive;
    const on = detail.enabled === detail.alive;
    return (
        <header class="entity-head">
            <div class="title">
                <h2>{entities(all.length)}</h2>
                {gone > 0 && <span class="badge">{gone} not alive</span>}
            </div>
            <div class="actions">
                {write && <Switch label={on ? 'Enabled: switch all off' : 'Not all enabled: switch all on'} on={on} onChange={(wanted) => void editAll(all, { do: wanted ? 'enable' : 'disable' }, wanted ? 'Enabled' : 'Disabled')} />}
                {write && <Button icon="trash" label="Destroy all (Del)" bare onClick={() => setAsking(true)} />}
                <Button icon="close" label="Take all marks away" bare onClick={() => marks.set([])} />
            </div>
            {asking && (
                <Confirm
                    title={`Destroy ${entities(all.length)}?`}
                    text="Their components go with them, and their children become roots. This cannot be undone."
                    yes="Destroy"
                    onYes={() => void destroy()}
                    onNo={() => setAsking(false)}
                />
            )}
        </header>
    );
}

/** The value of a component without the parts in which the entities differ. */
function withoutDiffering(value: Value | undefined, differs: readonly string[], prefix = ''): Value | undefined {
    if (differs.includes(prefix)) return undefined;
    if (value === null || typeof value !== 'object') return value;
    if (Array.isArray(value)) return value.map((element, i) => withoutDiffering(element, differs, `${prefix}[${i}]`) ?? null);
    const fields = Object.entries(value).map(([name, held]) => [name, withoutDiffering(held, differs, prefix ? `${prefix}.${name}` : name)]);
    return Object.fromEntries(fields.filter(([, held]) => held !== undefined));
}

function Common({ all, component, alive, write }: { all: readonly Entity[]; component: CommonComponent; alive: number; write: boolean }) {
    const known = useCell(types);
    const type: Type | undefined = known.find((held) => held.name === component.type);
    const on = component.enabled === alive;
    const actions: Actions = { owner: component.type, differs: component.differs };
    if (write && component.edit !== false)
        actions.set = (path, value, text) => void editAll(all, { do: 'set', type: component.type, path, value }, `Set ${component.type}.${path} to ${text}`);
    return (
        <section class={`component ${on ? '' : 'disabled'}`} aria-label={component.type} data-type={component.type}>
            <header>
                <h3>{component.type}</h3>
                <span class="about">{component.bytes === 0 ? 'tag' : `${component.bytes} B`}</span>
                {write && <Switch label={on ? `Disable ${component.type}` : `Enable ${component.type}`} on={on} onChange={(wanted) => void editAll(all, { do: wanted ? 'enable' : 'disable', type: component.type }, `${wanted ? 'Enabled' : 'Disabled'} ${component.type}`)} />}
                {write && <Button icon="close" label={`Remove ${component.type}`} bare onClick={() => void editAll(all, { do: 'remove', type: component.type }, `Removed ${component.type}`)} />}
            </header>
            {component.bytes > 0 && (type?.fields ? <Fields fields={type.fields} value={withoutDiffering(component.value, component.differs)} actions={actions} /> : <p class="dim hex-note">{component.bytes} bytes, not described</p>)}
        </section>
    );
}
