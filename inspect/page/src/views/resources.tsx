// The resources of the world.

import { useEffect } from 'preact/hooks';
import type { Field, Value } from '../api.ts';
import { changes, edit } from '../edits.ts';
import { Hex } from '../parts/entity_panel.tsx';
import { type Actions, Fields } from '../parts/field_editor.tsx';
import { Pending, State } from '../parts/basics.tsx';
import { usePoll } from '../poll.ts';
import { useCell } from '../store.ts';
import { typeNamed, types, world } from '../world.ts';

interface Resource {
    type: string;
    value?: Value;
    hex?: string;
    bytes?: number;
    edit?: boolean;
    fields?: Field[] | null;
}

export function ResourcesView() {
    const { data, error, refresh } = usePoll<{ resources: Resource[] }>('resources', 200);
    const write = useCell(world)?.write ?? false;
    const changed = useCell(changes);
    useCell(types);
    useEffect(refresh, [changed]);
    if (!data) return <Pending error={error} what="resources" />;
    if (data.resources.length === 0)
        return <State title="This world has no resources">A resource is one value of a type for the whole world; covey_resource_set makes one.</State>;
    return (
        <div class="resources-view">
            {data.resources.map((resource) => {
                const actions: Actions = write && resource.edit !== false
                    ? { owner: resource.type, set: (path, value, text) => void edit({ do: 'resource', type: resource.type, path, value }, `Set ${resource.type}.${path} to ${text}`) }
                    : { owner: resource.type };
                const fields = resource.fields ?? typeNamed(resource.type)?.fields;
                return (
                    <section class="component" key={resource.type} aria-label={resource.type}>
                        <header>
                            <h2>{resource.type}</h2>
                        </header>
                        {fields && resource.hex === undefined ? <Fields fields={fields} value={resource.value} actions={actions} /> : <Hex hex={resource.hex ?? ''} />}
                    </section>
                );
            })}
        </div>
    );
}
