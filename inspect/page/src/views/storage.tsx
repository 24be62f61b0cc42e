// The storage of pools: bytes compared with three formulas, advice, and a map of each pool. Below, the kinds of entities.

import { fullness, isAdvised, kindsListed, type Order, saved, savings, sortPools } from '../pools.ts';
import { useEffect, useState } from 'preact/hooks';
import type { EntityKind, Lookup, Pool, Storage } from '../api.ts';
import { change, changes } from '../edits.ts';
import { bytes, count, counted, float, percent } from '../format.ts';
import { fieldsOf, showCells } from '../lookups.ts';
import { Button, Panel, Pending, Scroll, State } from '../parts/basics.tsx';
import { OccupancyMap } from '../parts/occupancy_map.tsx';
import { usePoll } from '../poll.ts';
import { route, setParams } from '../route.ts';
import { useCell } from '../store.ts';
import { world } from '../world.ts';

export function StorageView() {
    const { data, error, refresh } = usePoll<Storage>('storage', 500);
    const [order, setOrder] = useState<Order>('bytes');
    const lookups = usePoll<{ lookups: Lookup[] }>('lookups', 1000).data?.lookups ?? [];
    const { params } = useCell(route);
    const changed = useCell(changes);
    useEffect(refresh, [changed]);
    if (!data) return <Pending error={error} what="storage" />;
    if (data.pools.length === 0) return <State title="No pools yet">A pool appears when the first component of its type is added.</State>;
    const pools = sortPools(data.pools, order);
    const chosen = pools.find((pool) => pool.type === params.pool) ?? pools[0];
    return (
        <div class={`storage-view ${lookups.length > 0 ? 'with-lookups' : ''}`}>
            <Panel
                title="Pools"
                class="pools"
                actions={<Totals pools={data.pools} />}
            >
                <Scroll label="Pools">
                    <PoolTable pools={pools} chosen={chosen?.type ?? ''} order={order} onOrder={setOrder} onChoose={(type) => setParams({ pool: type }, true)} />
                </Scroll>
            </Panel>
            {chosen && <PoolPart key={chosen.type} pool={chosen} />}
            <Kinds kinds={data.kinds} />
            {lookups.length > 0 && <Lookups lookups={lookups} />}
        </div>
    );
}

function Totals({ pools }: { pools: readonly Pool[] }) {
    const sum = (key: (pool: Pool) => number) => pools.reduce((total, pool) => total + key(pool), 0);
    const saved = pools.filter(isAdvised).reduce((total, pool) => total + savings(pool), 0);
    return (
        <span class="totals dim">
            {counted(pools.length, 'pool')} · {bytes(sum((pool) => pool.bytes))} · {counted(sum((pool) => pool.holes), 'hole')}
            {saved > 0 ? ` · ${bytes(saved)} could be saved` : ''}
        </span>
    );
}

interface Heading {
    order: Order;
    text: string;
    number: boolean;
    title: string;
}

const headings: Heading[] = [
    { order: 'type', text: 'Type', number: false, title: 'name of the component type' },
    { order: 'count', text: 'Count', number: true, title: 'components' },
    { order: 'bytes', text: 'Bytes', number: true, title: 'bytes of the pool, exactly what the allocator handed out' },
    { order: 'holes', text: 'Holes', number: true, title: 'places that hold nothing, and are reused or compacted' },
    { order: 'spans', text: 'Spans', number: true, title: 'arrays that an iteration hands out: fewer are faster' },
    { order: 'saved', text: 'Advice', number: false, title: 'what would take fewer bytes' },
];

function PoolTable(props: { pools: readonly Pool[]; chosen: string; order: Order; onOrder: (order: Order) => void; onChoose: (type: string) => void }) {
    const largest = Math.max(...props.pools.map((pool) => pool.bytes), 1) * 1.3;
    const heading = (held: Heading) => (
        <th key={held.order} scope="col" class={held.number ? 'number' : ''} title={held.title} aria-sort={props.order === held.order ? 'descending' : undefined}>
            <button type="button" class="sort" onClick={() => props.onOrder(held.order)}>
                {held.text}
                <span aria-hidden="true">{props.order === held.order ? ' ▾' : ''}</span>
            </button>
        </th>
    );
    return (
        <table class="plain-table" aria-label="Pools">
            <thead>
                <tr>
                    {headings.slice(0, 1).map(heading)}
                    <th scope="col">Storage</th>
                    {headings.slice(1, 3).map(heading)}
                    <th scope="col" class="bars-column">
                        Beside the formulas
                    </th>
                    {headings.slice(3).map(heading)}
                </tr>
            </thead>
            <tbody>
                {props.pools.map((pool) => (
                    <tr key={pool.type} class={pool.type === props.chosen ? 'selected' : ''} data-pool={pool.type} onClick={() => props.onChoose(pool.type)}>
                        <th scope="row">
                            <button type="button" class="row-button" aria-pressed={pool.type === props.chosen} onClick={() => props.onChoose(pool.type)}>
                                {pool.type}
                            </button>
                        </th>
                        <td>
                            {pool.kind}
                            {pool.kind === 'sparse' && <span class="dim"> · {pool.policy}</span>}
                            {pool.group && <span class="badge">in a group</span>}
                        </td>
                        <td class="number">{count(pool.count)}</td>
                        <td class="number">{bytes(pool.bytes)}</td>
                        <td>
                            <Bars pool={pool} largest={largest} />
                        </td>
                        <td class="number">{count(pool.holes)}</td>
                        <td class="number">{pool.spans === null ? '–' : `${count(pool.spans)}${pool.spans_more ? '+' : ''}`}</td>
                        <td>
                            <AdviceCell pool={pool} />
                        </td>
                    </tr>
                ))}
            </tbody>
        </table>
    );
}

function AdviceCell({ pool }: { pool: Pool }) {
    if (savings(pool) === 0) return <span class="dim">as it should be</span>;
    return (
        <span class={isAdvised(pool) ? 'advised' : 'dim'}>
            {pool.do === 'compact' ? 'compact' : pool.best}: saves {bytes(savings(pool))}
        </span>
    );
}

/** A bar with the bytes of a pool, and marks for the three formulas. Marks beyond the end are at the end. */
function Bars({ pool, largest }: { pool: Pool; largest: number }) {
    const at = (n: number) => `${Math.min(100, (n / largest) * 100)}%`;
    const text = `${bytes(pool.bytes)}; linear ${bytes(pool.linear)}, bitmask ${bytes(pool.bitmask)}, sparse ${bytes(pool.sparse)}`;
    return (
        <div class="bars" role="img" aria-label={text} title={text}>
            <span class="bar" style={{ width: at(pool.bytes) }} />
            <span class="formula linear" style={{ left: at(pool.linear) }} />
            <span class="formula bitmask" style={{ left: at(pool.bitmask) }} />
            <span class="formula sparse" style={{ left: at(pool.sparse) }} />
        </div>
    );
}

function PoolPart({ pool }: { pool: Pool }) {
    return (
        <Panel title={pool.type} class="pool" label={`Pool ${pool.type}`}>
            <div class="pool-parts">
                <OccupancyMap pool={pool} />
                <PoolFacts pool={pool} />
            </div>
        </Panel>
    );
}

function PoolFacts({ pool }: { pool: Pool }) {
    const write = useCell(world)?.write ?? false;
    const [busy, setBusy] = useState(false);
    const [result, setResult] = useState('');
    const apply = async (body: { do: 'convert' | 'compact' | 'shrink'; storage?: string }, what: string) => {
        setBusy(true);
        const answer = await change<{ before: number; after: number }>('storage', { type: pool.type, ...body }, `${what} ${pool.type}`);
        setBusy(false);
        if (answer) setResult(saved(pool.type, answer.before, answer.after));
    };
    const rows: [string, number, string][] = [
        ['this pool', pool.bytes, 'own'],
        ['linear', pool.linear, 'linear'],
        ['bitmask', pool.bitmask, 'bitmask'],
        ['sparse set', pool.sparse, 'sparse'],
    ];
    return (
        <div class="pool-facts">
            <table class="plain-table formulas" aria-label="Bytes beside the formulas">
                <tbody>
                    {rows.map(([name, size, kind]) => (
                        <tr key={name}>
                            <th scope="row">
                                <span class={`key ${kind}`} aria-hidden="true" />
                                {name}
                            </th>
                            <td class="number">{bytes(size)}</td>
                            <td class="number dim">{pool.count > 0 ? `${(size / pool.count).toFixed(1)} B each` : ''}</td>
                            <td class="number dim">{percent(size, pool.bytes)}</td>
                        </tr>
                    ))}
                </tbody>
            </table>
            <p class="advice">
                {isAdvised(pool) ? <strong>Advice: </strong> : null}
                {pool.advice || 'No other storage would take fewer bytes.'}
            </p>
            <div class="actions">
                {pool.do === 'convert' && (
                    <Button label={`Convert to ${pool.best}`} {...(isAdvised(pool) ? { kind: 'primary' as const } : {})} disabled={!write || busy} onClick={() => void apply({ do: 'convert', storage: pool.best }, 'Converted')} />
                )}
                <Button label="Compact" title="Closes holes" {...(pool.do === 'compact' && isAdvised(pool) ? { kind: 'primary' as const } : {})} disabled={!write || busy || (pool.holes === 0 && pool.do !== 'compact')} onClick={() => void apply({ do: 'compact' }, 'Compacted')} />
                <Button label="Shrink" title="Gives spare capacity back" disabled={!write || busy} onClick={() => void apply({ do: 'shrink' }, 'Shrank')} />
            </div>
            {result && (
                <p class="result" role="status">
                    {result}
                </p>
            )}
            {!write && <p class="dim">The inspector is read-only: the program decides.</p>}
        </div>
    );
}

function Kinds({ kinds }: { kinds: Storage['kinds'] }) {
    return (
        <Panel title="Kinds: entities created with the same types lie together" class="kinds" label="Kinds" actions={<span class="dim">{kindsListed(kinds.count, kinds.rows.length)}</span>}>
            {kinds.count === 0 ? (
                <State title="No kinds yet">Entities that are created together with their components (covey_create_with) become a kind when there are enough with the same types.</State>
            ) : (
                <Scroll label="Kinds">
                    <KindTable kinds={kinds.rows} />
                </Scroll>
            )}
        </Panel>
    );
}

function KindTable({ kinds }: { kinds: readonly EntityKind[] }) {
    return (
        <table class="plain-table" aria-label="Kinds">
            <thead>
                <tr>
                    <th scope="col">Types</th>
                    <th scope="col" class="number" aria-sort="descending" title="entities that are alive in its blocks">
                        Entities<span aria-hidden="true"> ▾</span>
                    </th>
                    <th scope="col" class="number" title="of 64 indices, which only entities of this kind get">
                        Blocks
                    </th>
                    <th scope="col" class="bars-column" title="entities, compared with the indices of its blocks">
                        How full
                    </th>
                </tr>
            </thead>
            <tbody>
                {kinds.map((kind) => (
                    <tr key={JSON.stringify(kind.types)}>
                        <th scope="row">
                            <span class="kind-types" title={kind.types.join(', ')}>
                                {kind.types.join(', ')}
                            </span>
                        </th>
                        <td class="number">{count(kind.entities)}</td>
                        <td class="number">{count(kind.blocks)}</td>
                        <td>
                            <Fullness kind={kind} />
                        </td>
                    </tr>
                ))}
            </tbody>
        </table>
    );
}

function Fullness({ kind }: { kind: EntityKind }) {
    const text = fullness(kind);
    return (
        <div class="fullness" title={`${count(kind.entities)} of ${count(64 * kind.blocks)} indices`}>
            <div class="bars" role="img" aria-label={`${text} full`}>
                <span class="bar" style={{ width: `${Math.min(1, kind.full) * 100}%` }} />
            </div>
            <span class="number">{text}</span>
        </div>
    );
}

function Lookups({ lookups }: { lookups: readonly Lookup[] }) {
    const sum = lookups.reduce((total, lookup) => total + lookup.bytes, 0);
    return (
        <Panel title="Lookups: entities found by what a field says" class="lookups" label="Lookups" actions={<span class="dim">{`${counted(lookups.length, 'lookup')} · ${bytes(sum)}`}</span>}>
            <Scroll label="Lookups">
                <LookupTable lookups={lookups} />
            </Scroll>
        </Panel>
    );
}

const ends: Record<string, string> = { keep: 'keep the handle', clear: 'set it to null', remove: 'lose the component', destroy: 'are destroyed' };

function LookupTable({ lookups }: { lookups: readonly Lookup[] }) {
    return (
        <table class="plain-table" aria-label="Lookups">
            <thead>
                <tr>
                    <th scope="col">Fields</th>
                    <th scope="col">Kind</th>
                    <th scope="col" class="number" title="components that are filed">
                        Elements
                    </th>
                    <th scope="col" class="number" title="bytes of the lookup, exactly what the allocator handed out">
                        Bytes
                    </th>
                    <th scope="col" class="number">
                        Bytes each
                    </th>
                    <th scope="col">Finds</th>
                </tr>
            </thead>
            <tbody>
                {lookups.map((lookup, i) => (
                    <tr key={i} data-lookup={fieldsOf(lookup)}>
                        <th scope="row">{fieldsOf(lookup)}</th>
                        <td>{lookup.kind === 'char' ? 'text' : lookup.kind}</td>
                        <td class="number">{count(lookup.count)}</td>
                        <td class="number">{bytes(lookup.bytes)}</td>
                        <td class="number dim">{lookup.count > 0 ? `${(lookup.bytes / lookup.count).toFixed(1)} B` : ''}</td>
                        <td>
                            <Finds lookup={lookup} number={i} />
                        </td>
                    </tr>
                ))}
            </tbody>
        </table>
    );
}

function Finds({ lookup, number }: { lookup: Lookup; number: number }) {
    if (lookup.cell !== null)
        return (
            <>
                places, in{' '}
                <button type="button" class="link" title="Show them in space" onClick={() => showCells(number, lookup)}>
                    cells of {float(lookup.cell)}
                </button>
            </>
        );
    if (lookup.when_target_ends === null) return <>{lookup.finds}</>;
    return (
        <>
            sources<span class="dim"> · when their target ends, they {ends[lookup.when_target_ends]}</span>
        </>
    );
}
