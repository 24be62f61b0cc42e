import { float } from '../format.ts';
import { useCell } from '../store.ts';
import { keyOf, samples, samplesKept, toggleWatch, watches } from '../watches.ts';
import { Button, EntityLink } from './basics.tsx';
import { Sparkline } from './sparkline.tsx';

/** The watched values, of any entity, with the last 15 seconds of each. */
export function WatchList() {
    const list = useCell(watches);
    const held = useCell(samples);
    if (list.length === 0) return null;
    return (
        <section class="watches" aria-label="Watched values">
            <h3>Watched</h3>
            {list.map((watch) => {
                const values = held.get(keyOf(watch)) ?? [];
                const last = values.at(-1);
                return (
                    <div class="watch" key={keyOf(watch)} data-watch={keyOf(watch)}>
                        <span class="what">
                            <span class="path">{watch.path}</span>
                            <EntityLink e={watch.e} />
                        </span>
                        <Sparkline values={values} label={watch.path} room={samplesKept} />
                        <output>{last === null || last === undefined ? '–' : float(last)}</output>
                        <Button icon="close" label={`Stop watching ${watch.path}`} bare onClick={() => toggleWatch(watch)} />
                    </div>
                );
            })}
        </section>
    );
}
