// One entity on the whole page, with the watched values.

import { State } from '../parts/basics.tsx';
import { EntityPanel } from '../parts/entity_panel.tsx';
import { WatchList } from '../parts/watch_list.tsx';
import { route, selectEntity, goTo } from '../route.ts';
import { useCell } from '../store.ts';
import { watches } from '../watches.ts';

export function EntityView() {
    const { params } = useCell(route);
    const watched = useCell(watches).length > 0;
    const e = params.e;
    return (
        <div class={`entity-view ${watched ? 'with-watches' : ''}`}>
            <div class="entity-main">
                {e ? (
                    <EntityPanel key={e} e={e} wide onClose={() => selectEntity(null)} />
                ) : (
                    <State title="No entity is selected">
                        Choose one in <button type="button" class="link" onClick={() => goTo('entities')}>Entities</button> or{' '}
                        <button type="button" class="link" onClick={() => goTo('space')}>Space</button>.
                    </State>
                )}
            </div>
            {watched && (
                <aside class="entity-side">
                    <WatchList />
                </aside>
            )}
        </div>
    );
}
