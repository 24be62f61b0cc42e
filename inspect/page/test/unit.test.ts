import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Cells, Field, Lookup, Plan, Pool, Type, World } from '../src/api.ts';
import { gridOf, readBlocks } from '../src/blocks.ts';
import { Completer, type List } from '../src/completer.ts';
import { csvOf, jsonOf } from '../src/export.ts';
import { at, colourOfHex, hexOfColour, leaves, nameOfChoice, numericPaths, parse } from '../src/fields.ts';
import { bytes, count, counted, float, hexRows, moved, time, timeMark, value } from '../src/format.ts';
import { rangeOf, samples, takeSample, valueOf as sampleOf } from '../src/graphs.ts';
import { layOut } from '../src/layout.ts';
import { axesOf, fieldsOf, lookupShown, printSquare, shadeOf, squaresOf } from '../src/lookups.ts';
import { clampTop, reveal, scaleOf } from '../src/parts/virtual_rows.tsx';
import { boundsOf, fitCamera, magic, pick, project, readPoints } from '../src/points.ts';
import { withParams } from '../src/poll.ts';
import { fullness, isAdvised, kindsListed, saved, savings, sortPools } from '../src/pools.ts';
import { byteOfIndex, indexOfByte, isFuzzyMatch, queryOfSources, typesOfQuery } from '../src/query.ts';
import { clampRange, frameIn, originOf, rangeOfFrame, tickLength, zoomRange } from '../src/range.ts';
import { ratesOf } from '../src/rates.ts';
import { parseRoute, printRoute } from '../src/route.ts';
import { type Level, linesOf, prune } from '../src/tree_lines.ts';

const valueOf = (kind: string, text: string, length = 1) => {
    const parsed = parse(kind, text, length);
    return parsed.ok ? parsed.value : `refused: ${parsed.why}`;
};
const isRefused = (kind: string, text: string, length = 1) => !parse(kind, text, length).ok;

test('integers are taken within the range of their kind, and refused outside', () => {
    const ranges: Record<string, [string, string]> = {
        i8: ['-128', '127'], i16: ['-32768', '32767'], i32: ['-2147483648', '2147483647'],
        i64: ['-9223372036854775808', '9223372036854775807'],
        u8: ['0', '255'], u16: ['0', '65535'], u32: ['0', '4294967295'], u64: ['0', '18446744073709551615'],
    };
    for (const [kind, [low, high]] of Object.entries(ranges)) {
        assert.equal(String(valueOf(kind, low)), low);
        assert.equal(String(valueOf(kind, high)), high);
        assert.ok(isRefused(kind, String(BigInt(low) - 1n)), `${kind} below`);
        assert.ok(isRefused(kind, String(BigInt(high) + 1n)), `${kind} above`);
        for (const text of ['', 'x', '1.5', '1e3', '--1', ' ', '0x']) assert.ok(isRefused(kind, text), `${kind} ${text}`);
    }
    assert.equal(valueOf('u8', ' 0x1f '), 31);
    assert.equal(valueOf('u64', '9007199254740993'), '9007199254740993', 'what a number cannot hold stays a text');
    assert.equal(valueOf('u64', '9007199254740991'), 9007199254740991);
});

test('floats are taken with exponents and as nan and inf, and refused when they are too large', () => {
    assert.equal(valueOf('f32', '1.5e3'), 1500);
    assert.equal(valueOf('f64', '-.5'), -0.5);
    assert.equal(valueOf('f32', 'NaN'), 'nan');
    assert.equal(valueOf('f64', '-Infinity'), '-inf');
    assert.ok(isRefused('f32', '3.5e38'));
    assert.equal(valueOf('f64', '1e15'), 1e15);
    assert.equal(valueOf('f64', '3.5e38'), '3.5e+38', 'what JSON would write as an integer stays a text');
    assert.equal(valueOf('f32', '-1e20'), '-100000000000000000000');
    for (const text of ['', '1,5', '1e', 'e5', '0x10', '1e999']) assert.ok(isRefused('f64', text), text);
});

test('texts are measured in bytes, entities are handles, booleans are words', () => {
    assert.equal(valueOf('char', 'äöü', 6), 'äöü');
    assert.ok(isRefused('char', 'äöü', 5));
    assert.ok(isRefused('char', 'ab', 1));
    assert.equal(valueOf('entity', '12:3'), '12:3');
    assert.equal(valueOf('entity', ''), '0:0');
    assert.ok(isRefused('entity', '12'));
    assert.equal(valueOf('bool', 'true'), true);
    assert.ok(isRefused('bool', '1'));
    assert.ok(isRefused('struct', '{}'));
});

const field = (name: string, kind: string, count = 1, fields?: Field[]): Field => ({ name, kind, offset: 0, count, ...(fields ? { fields } : {}) });
const type = (name: string, fields: Field[] | null, count = 1): Type => ({
    name, size: 8, align: 4, storage: 'block', policy: '', tag: false, count, ticks: false, fields,
});

test('leaves are single values with paths that lead to them', () => {
    const fields = [
        field('label', 'char', 8), field('at', 'struct', 1, [field('x', 'f32'), field('y', 'f32')]),
        field('items', 'struct', 9, [field('count', 'i32')]), field('pad', 'padding', 3), field('hits', 'u8', 2),
    ];
    assert.deepEqual(leaves(fields, 2).map((leaf) => leaf.path), ['label', 'at.x', 'at.y', 'items[0].count', 'items[1].count', 'hits[0]', 'hits[1]']);
    const held = { label: 'a', at: { x: 1, y: 2 }, items: [{ count: 5 }, { count: 6 }], hits: [7, 8] };
    assert.equal(at(held, 'items[1].count'), 6);
    assert.equal(at(held, 'hits[0]'), 7);
    assert.equal(at(held, 'at.z'), undefined);
    assert.equal(at(undefined, 'at'), undefined);
    assert.deepEqual(numericPaths([type('T', fields), type('U', null)]).map(({ path }) => path).slice(0, 2), ['T.at.x', 'T.at.y']);
});

test('numbers are short and do not jump in width without need', () => {
    assert.equal(count(1234567), '1,234,567');
    assert.deepEqual([0, 999, 1000, 999499, 1e6, 5.2e10].map(bytes), ['0 B', '999 B', '1.00 KB', '999 KB', '1.00 MB', '52.0 GB']);
    assert.deepEqual([moved(), moved(1200), moved(0, 3100), moved(1200, 3100)], ['', '1.20 KB', 'blocked 3.10 µs', '1.20 KB, blocked 3.10 µs']);
    assert.deepEqual([12, 3100, 4.2e6, 2e9, NaN].map(time), ['12 ns', '3.10 µs', '4.20 ms', '2.00 s', '–']);
    assert.deepEqual([1, 0.1, 1 / 3, 1e-9, 123456789.5].map(float), ['1', '0.1', '0.333333', '1.000e-9', '1.235e+8']);
    assert.equal(value({ x: 1, y: [true, null, 'a'] }), '{x: 1, y: [true, null, a]}');
    assert.equal(value('a'.repeat(100), 10), 'aaaaaaaaa…');
    assert.deepEqual(hexRows('00 41').map((row) => [row.at, row.bytes, row.text]), [['0000', '00 41', '·A']]);
    assert.equal(hexRows('ab'.repeat(33)).length, 3);
});

test('a list that is longer than browsers allow is reached to its last row', () => {
    const long = { count: 1_000_000, rowHeight: 24, view: 600 };
    const scale = scaleOf(long);
    assert.ok(scale > 1);
    assert.equal(Math.round((8_000_000 - long.view) * scale), long.count * 24 - long.view, 'the end of the bar is the end of the list');
    assert.equal(scaleOf({ count: 1000, rowHeight: 24, view: 600 }), 1);
    assert.equal(clampTop(-5, long), 0);
    assert.equal(clampTop(1e12, long), 24_000_000 - 600);
    assert.equal(reveal(0, 10, long), 0, 'it is seen already');
    assert.equal(reveal(0, 25, long), 26 * 24 - 600);
    assert.equal(reveal(4800, 3, long), 72);
    assert.equal(clampTop(0, { count: 0, rowHeight: 24, view: 600 }), 0);
});

test('addresses keep the view and its parameters', () => {
    assert.deepEqual(parseRoute('#/storage?pool=Position'), { view: 'storage', params: { pool: 'Position' } });
    assert.deepEqual(parseRoute('#/nowhere'), { view: 'entities', params: {} });
    assert.deepEqual(parseRoute(''), { view: 'entities', params: {} });
    const route = { view: 'entities' as const, params: { q: 'A.b < 10, name ~ "x&y"', e: '12:1' } };
    assert.deepEqual(parseRoute(printRoute(route)), route);
    assert.equal(printRoute({ view: 'entities', params: { q: '', e: '12:1' } }), '#/entities?e=12:1');
    assert.equal(withParams('a', { x: undefined, y: '', z: 0, q: 'a,b' }), 'a?z=0&q=a%2Cb');
});

test('queries name their types, and errors are at bytes', () => {
    const known = [type('Position', [field('x', 'f32')]), type('Health', [field('points', 'i32')]), type('Tag', [])];
    assert.deepEqual(typesOfQuery('Health.points < 10, Position, !Frozen, Tag', known), ['Health', 'Position']);
    assert.deepEqual(typesOfQuery('!Position, ?Health', known), ['Health']);
    assert.deepEqual(typesOfQuery('name ~ "Position"', known), []);
    assert.equal(indexOfByte('aäb', 1), 1);
    assert.equal(indexOfByte('aäb', 3), 2);
    assert.equal(indexOfByte('a😀b', 5), 3);
    assert.equal(indexOfByte('ab', Infinity), 2);
    assert.equal(byteOfIndex('a😀b', 3), 5);
    assert.ok(isFuzzyMatch('pstn', 'Position'));
    assert.ok(!isFuzzyMatch('np', 'Position'));
});

test('a timeline zooms around the pointer and stays within its frames', () => {
    assert.deepEqual(zoomRange({ from: 0, to: 1000 }, 0.5, 500, 1000), { from: 250, to: 750 });
    assert.deepEqual(zoomRange({ from: 250, to: 750 }, 4, 300, 1000), { from: 0, to: 1000 });
    assert.deepEqual(clampRange({ from: -50, to: 50 }, 1000), { from: 0, to: 100 });
    assert.deepEqual(clampRange({ from: 950, to: 1050 }, 1000), { from: 900, to: 1000 });
    assert.equal(tickLength(1000, 10), 100);
    assert.equal(tickLength(1100, 10), 200);
});

test('a system is drawn right of all that it waits for, and no line says what others say', () => {
    const system = (name: string, phase: string) => ({ name, phase, stage: 0, reads: [], writes: [] });
    const plan: Plan = {
        phases: ['a', 'b'],
        systems: [system('one', 'a'), system('two', 'a'), system('three', 'a'), system('four', 'b')],
        edges: [{ from: 0, to: 1, why: 'x' }, { from: 1, to: 2, why: 'x' }, { from: 0, to: 2, why: 'implied' }],
    };
    const drawing = layOut(plan);
    assert.deepEqual(drawing.nodes.map((node) => node.layer), [0, 1, 2, 3]);
    assert.deepEqual(drawing.edges.map((edge) => [edge.from, edge.to]), [[0, 1], [1, 2]]);
    assert.deepEqual(drawing.phases, [{ name: 'a', from: 0, to: 2 }, { name: 'b', from: 3, to: 3 }]);
    assert.equal(layOut({ phases: [], systems: [], edges: [] }).layers, 0);
    const synced = layOut({ phases: [], systems: [system('one', 'a'), { ...system('alone', 'a'), stage: 1 }], edges: [] });
    assert.deepEqual(synced.nodes.map((node) => node.layer), [0, 1], 'a sync point is between them');
    const wide = layOut({ phases: [], systems: [system('one', 'a'), system('two', 'a')], edges: [] });
    assert.deepEqual(wide.nodes.map((node) => node.row), [0, 1]);
});

test('points are read, placed and picked', () => {
    const buffer = new ArrayBuffer(16 + 2 * 16);
    const view = new DataView(buffer);
    [magic, 2, 50, 2].forEach((n, i) => view.setUint32(i * 4, n, true));
    [[1, 2, 9, 7], [3, 6, 8, 11]].forEach(([x, y, held, index], i) => {
        [x, y, held].forEach((n, k) => view.setFloat32(16 + i * 16 + k * 4, n as number, true));
        view.setUint32(16 + i * 16 + 12, index as number, true);
    });
    const points = readPoints(buffer);
    assert.deepEqual([points.count, points.total, [...points.x], [...(points.value ?? [])], [...points.index], points.z], [2, 50, [1, 3], [9, 8], [7, 11], null]);
    const bounds = boundsOf(points);
    assert.ok(bounds);
    const camera = fitCamera(bounds, 248, 248);
    const screen = project(points, camera, 248, 248);
    assert.ok((screen.y[0] as number) > (screen.y[1] as number), 'y goes up');
    assert.equal(pick(screen, (screen.x[1] as number) + 3, screen.y[1] as number, 8), 1);
    assert.equal(pick(screen, 0, 0, 8), -1);
    assert.throws(() => readPoints(buffer.slice(0, 40)));
    assert.throws(() => readPoints(new ArrayBuffer(4)));
});

test('all blocks are drawn if they fit, and as large as they can be', () => {
    for (const blocks of [1, 100, 3000, 15_625]) {
        const grid = gridOf(blocks, { width: 760, height: 280 });
        assert.ok(grid.columns * grid.rows >= blocks, `${blocks}`);
        assert.ok(grid.columns * (grid.width + 4) - 4 <= 760);
    }
    assert.ok(gridOf(10, { width: 760, height: 280 }).height > gridOf(3000, { width: 760, height: 280 }).height);
    assert.equal(readBlocks(new Uint8Array([4, 64, 2, 7]).buffer).count, 2);
});

test('pools are sorted, and say what a change saved', () => {
    const pool = (name: string, size: number, best: number): Pool => ({
        type: name, kind: 'sparse', policy: '', count: 1, bytes: size, linear: 0, bitmask: 0, sparse: 0, holes: 0, spans: 0, ids: 64, group: false,
        best: best < size ? 'block' : 'sparse', best_bytes: best, do: best < size ? 'convert' : null,
    });
    const pools = [pool('B', 100, 90), pool('A', 200, 200), pool('C', 50, 10)];
    assert.deepEqual(sortPools(pools, 'bytes').map((held) => held.type), ['A', 'B', 'C']);
    assert.deepEqual(sortPools(pools, 'type').map((held) => held.type), ['A', 'B', 'C']);
    assert.deepEqual(sortPools(pools, 'saved').map((held) => savings(held)), [40, 10, 0]);
    assert.match(saved('A', 2000, 1500), /500 B saved/);
    assert.match(saved('A', 1500, 2000), /500 B more/);
});

test('kinds are counted, also those that are not listed, and full only without a free index', () => {
    assert.equal(kindsListed(1, 1), '1 kind');
    assert.equal(kindsListed(12, 12), '12 kinds');
    assert.equal(kindsListed(2345, 100), '2,345 kinds · the 100 with most entities are listed');
    const kind = (entities: number, blocks: number) => fullness({ types: ['A'], entities, blocks, full: entities / (64 * blocks) });
    assert.equal(kind(64, 1), '100 %');
    assert.equal(kind(64000 - 1, 1000), '99 %');
    assert.equal(kind(32, 1), '50 %');
    assert.equal(kind(1, 1), '1.6 %');
});

test('events become rates by type', () => {
    const seconds = [
        { at: 1, created: 1, destroyed: 1, types: [{ type: 'A', added: 1, set: 2, removed: 0 }] },
        { at: 2, types: [{ type: 'B', added: 9, set: 9, removed: 9 }, { type: 'A', added: 3, set: 0, removed: 1 }] },
    ];
    const [first, second, entities] = ratesOf({ seconds });
    assert.deepEqual([entities?.kinds.added.sum, entities?.kinds.removed.all], [1, [1, 0]]);
    assert.equal(first?.type, 'B');
    assert.deepEqual(second?.kinds.added, { last: 3, all: [1, 3], sum: 4 });
    assert.deepEqual(second?.kinds.set, { last: 0, all: [2, 0], sum: 2 });
});

test('a tree has the rows of what is open, and one row for what is left of a level', () => {
    const row = (e: string, children = 0) => ({ e, name: e, children, types: [] });
    const levels = new Map([
        ['', { rows: [row('1:1', 2), row('2:1')], count: 5, shown: 2, known: true }],
        ['1:1', { rows: [row('3:1')], count: 1, shown: 200, known: true }],
    ]);
    const lines = linesOf(levels);
    assert.deepEqual(lines.map((line) => ('row' in line ? `${line.depth} ${line.row.e}` : `more ${line.more}`)), ['0 1:1', '1 3:1', '0 2:1', 'more 3']);
});

test('a timeline shows one frame, and counts from it', () => {
    const frames = [{ at: 1000, length: 100 }, { at: 2000, length: 200 }, { at: 3000, length: 100 }];
    const range = rangeOfFrame({ at: 2000, length: 200 }, 1000, 2100);
    assert.deepEqual(range, { from: 996, to: 1204 });
    assert.deepEqual(rangeOfFrame({ at: 3000, length: 100 }, 1000, 2100), { from: 1996, to: 2100 }, 'nothing is after the last frame');
    assert.equal(frameIn(frames, 1000, range), 1);
    assert.equal(frameIn(frames, 1000, { from: 0, to: 10 }), 0);
    assert.equal(originOf(frames, 1000, range), 1000);
    assert.equal(originOf(frames, 1000, { from: 0, to: 2100 }), 0, 'more than one frame');
});

test('marks of an axis have the digits that tell them apart', () => {
    assert.deepEqual([0, 200, 1200].map((ns) => timeMark(ns, 200)), ['0 ns', '200 ns', '1.2 µs']);
    assert.deepEqual([106_000_000, 106_010_000].map((ns) => timeMark(ns, 10_000)), ['106.00 ms', '106.01 ms']);
    assert.equal(timeMark(20_000_000, 10_000_000), '20 ms');
});

test('numbers have the right word', () => {
    assert.deepEqual([0, 1, 2000].map((n) => counted(n, 'frame')), ['0 frames', '1 frame', '2,000 frames']);
    assert.equal(counted(2, 'entity', 'entities'), '2 entities');
});

test('levels of entities that are gone are closed, but not before all levels are loaded', () => {
    const row = (e: string) => ({ e, children: 1, types: [] });
    const level = (rows: string[], known: boolean): Level => ({ rows: rows.map(row), count: rows.length, shown: 200, known });
    const levels = new Map([['', level(['1:1'], true)], ['1:1', level([], false)], ['3:1', level([], false)]]);
    prune(levels);
    assert.deepEqual([...levels.keys()], ['', '1:1', '3:1']);
    levels.set('1:1', level(['2:1'], true)).set('3:1', level([], true));
    prune(levels);
    assert.deepEqual([...levels.keys()], ['', '1:1'], '3:1 is no child any more');
});

test('a change is advised where it saves at least 5 % of the pool and 1 KB', () => {
    const pool = (size: number, best: number, what: Pool['do'] = 'compact') => ({ bytes: size, best_bytes: best, do: what }) as Pool;
    assert.ok(isAdvised(pool(20_000, 19_000)));
    assert.ok(!isAdvised(pool(20_001, 19_001)), 'less than 5 %');
    assert.ok(!isAdvised(pool(2000, 1001)), 'less than 1 KB');
    assert.ok(isAdvised(pool(2000, 1000)));
    assert.ok(!isAdvised(pool(2000, 0, null)), 'there is no change to make');
});

test('an export has all fields of its columns, and quotes what needs it', () => {
    const f32 = (name: string): Field => ({ name, kind: 'f32', offset: 0, count: 1 });
    const type = (name: string, fields: Field[] | null): Type => ({ name, size: 8, align: 4, storage: 'block', policy: '', tag: false, count: 1, ticks: false, fields });
    const types = [type('Position', [f32('x'), f32('y')]), type('Label', [{ name: 'text', kind: 'char', offset: 0, count: 16 }, { ...f32('hits'), count: 6 }]), type('Opaque', null)];
    const rows = [
        { e: '1:1', name: 'a "b", c', enabled: true, types: [0, 1], values: { Position: { x: 1.5, y: 'nan' }, Label: { text: 'x\ny', hits: [1, 2, 3, 4, 5, 6] } } },
        { e: '2:3', name: null, enabled: false, types: [2], values: { Position: null, Label: null } },
    ];
    assert.equal(
        csvOf(rows, ['Position', 'Label'], types),
        'entity,name,enabled,components,Position.x,Position.y,Label.text,Label.hits[0],Label.hits[1],Label.hits[2],Label.hits[3],Label.hits[4],Label.hits[5]\r\n' +
            '1:1,"a ""b"", c",true,Position Label,1.5,nan,"x\ny",1,2,3,4,5,6\r\n' +
            '2:3,,false,Opaque,,,,,,,,,\r\n',
    );
    const [first, second] = JSON.parse(jsonOf(rows, types));
    assert.deepEqual([first.entity, first.components, first.values.Position.x], ['1:1', ['Position', 'Label'], 1.5]);
    assert.deepEqual([second.name, second.enabled], [null, false]);
});

test('samples are taken once a second, for half an hour, with the count of each type', () => {
    const type = (name: string, held: number, internal = false) => ({ name, count: held, internal }) as Type;
    const world = (entities: number, ns: number) => ({ entities, bytes: 5, time: ns }) as World;
    takeSample(0, world(1, 0), [type('Position', 7), type('covey.name', 3, true)]);
    takeSample(250, world(2, 10), []);
    assert.equal(samples.value.length, 1, 'too early');
    for (let i = 1; i <= 2000; i++) takeSample(i * 1000, world(i, 10), [type('Position', i)]);
    assert.equal(samples.value.length, 1800);
    const last = samples.value.at(-1);
    assert.ok(last);
    assert.deepEqual([sampleOf(last, { figure: 'entities' }), sampleOf(last, { figure: 'memory' }), sampleOf(last, { figure: 'frame time' })], [2000, 5, 10]);
    assert.deepEqual([sampleOf(last, { type: 'Position' }), sampleOf(last, { type: 'covey.name' })], [2000, null]);
    assert.equal(sampleOf({ ...last, time: 0 }, { figure: 'frame time' }), null, 'not known');
    assert.deepEqual(rangeOf([]), { low: 0, high: 1 });
    assert.equal(rangeOf([10, 20]).low, 0, '0 is near');
    const { low, high } = rangeOf([1000, 1010]);
    assert.ok(low > 900 && low < 1000 && high > 1010);
    assert.ok(rangeOf([5, 5]).high > rangeOf([5, 5]).low);
    assert.ok(rangeOf([0, 0]).high > 0);
});

test('colours and choices', () => {
    assert.equal(hexOfColour('u32', 0xff8000c0), '#ff8000');
    assert.equal(hexOfColour('f32', [0.2, 0.4, 0.6]), '#336699');
    assert.equal(hexOfColour('f32', [2, -1, 0.5, 1]), '#ff0080');
    assert.equal(hexOfColour('u8', [1, 2, 255]), '#0102ff');
    assert.equal(hexOfColour('u32', undefined), '#000000');
    assert.equal(colourOfHex('u32', 0xff8000c0, '#102030'), 0x102030c0);
    assert.equal(colourOfHex('u32', 0x12, '#ffffff'), 0xffffff12);
    assert.deepEqual(colourOfHex('u8', [0, 0, 0, 7], '#0102ff'), [1, 2, 255, 7], 'the fourth stays');
    assert.deepEqual(colourOfHex('f32', [0, 0, 0], '#ff0033'), [1, 0, 0.2]);
    assert.equal(nameOfChoice(['off', 'on'], 1), 'on');
    assert.equal(nameOfChoice(['off', 'on'], 7), '7');
});

/** A field whose completions come when the test says so: those of the names that begin with the last word. */
function typed(names: readonly string[]) {
    const answers: (() => void)[] = [];
    const field = { text: '', list: null as List | null, left: 0, asked: [] as string[] };
    const completer = new Completer({
        find: (text, at) => {
            field.asked.push(text);
            const from = at - (/\w*$/.exec(text.slice(0, at))?.[0].length ?? 0);
            const words = names.filter((name) => name.startsWith(text.slice(from, at))).map((name) => ({ text: name, kind: 'type' }));
            return new Promise((resolve) => answers.push(() => resolve({ from, to: at, words })));
        },
        show: (list) => (field.list = list),
        text: () => field.text,
        replace: (from, to, word) => (field.text = field.text.slice(0, from) + word + field.text.slice(to)),
        leave: () => field.left++,
    });
    const type = (more: string) => {
        for (const letter of more) completer.complete((field.text += letter), field.text.length, true);
    };
    const answer = async () => {
        for (let next = answers.shift(); next; next = answers.shift()) {
            next();
            await new Promise((resolve) => setTimeout(resolve));
        }
    };
    return { field, completer, type, answer };
}

test('the same keys complete the same words, whether lists come before the keys or after them', async () => {
    const names = ['Position', 'Posture', 'Velocity'];
    const programs: [(string | { key: string })[], string, number][] = [
        [['Pos', { key: 'Tab' }], 'Position', 0],
        [['Pos', { key: 'ArrowDown' }, { key: 'Enter' }], 'Posture', 0],
        [['Pos', { key: 'ArrowUp' }, { key: 'Tab' }, ', Ve', { key: 'Tab' }, ' '], 'Posture, Velocity ', 0],
        [['Position', { key: 'Tab' }], 'Position', 1],
        [['Pos', { key: 'Tab' }, { key: 'Tab' }], 'Position', 1],
        [['Pos', { key: 'Escape' }, { key: 'Tab' }], 'Pos', 1],
        [['Position, ', { key: 'Enter' }], 'Position, ', 0],
    ];
    for (const early of [true, false])
        for (const [program, text, left] of programs) {
            const { field, completer, type, answer } = typed(names);
            for (const step of program) {
                if (typeof step === 'string') type(step);
                else if (!completer.press(step.key) && step.key === 'Tab') completer.close(), field.left++;
                if (early) await answer();
            }
            await answer();
            assert.deepEqual([field.text, field.left, field.list?.of ?? text], [text, left, text], JSON.stringify({ early, program }));
        }
});

test('texts that were typed over are not asked for, and their lists are not shown', async () => {
    const { field, type, answer } = typed(['Position']);
    type('Posit');
    await answer();
    assert.deepEqual(field.asked, ['P', 'Posit']);
    assert.equal(field.list?.of, 'Posit');
});

test('the sources of an entity have a query, also of types with odd names', () => {
    assert.equal(queryOfSources('Owned', 'by', '12:1'), 'Owned.by == 12:1');
    assert.equal(queryOfSources('game::Owned', 'edge.one', '12:1'), 'game::Owned.edge.one == 12:1');
    for (const name of ['name', 'a type', '2D', 'parent']) assert.equal(queryOfSources(name, 'by', '1:1'), `"${name}".by == 1:1`);
    assert.equal(queryOfSources('a "b" \\c', 'by', '1:1'), '"a \\"b\\" \\\\c".by == 1:1');
});

const places = (type: string, ...fields: string[]): Lookup => ({ type, fields, kind: 'f32', finds: 'places', when_target_ends: null, cell: 2, count: 0, bytes: 0 });

test('cells are shown of the lookup whose places are the axes', () => {
    const lookups: Lookup[] = [{ ...places('P', 'x'), finds: 'ranges' }, places('P', 'x', 'y'), places('P', 'x', 'y'), places('Q', 'at[0]', 'at[1]', 'at[2]')];
    const p = { x: 'P.x', y: 'P.y', z: '' };
    const q = { x: 'Q.at[0]', y: 'Q.at[1]', z: 'Q.at[2]' };
    assert.equal(lookupShown(lookups, p, undefined), 1);
    assert.equal(lookupShown(lookups, p, '2'), 2, 'the one that was chosen');
    assert.equal(lookupShown(lookups, p, '3'), 1, 'unless its axes are others');
    assert.equal(lookupShown(lookups, p, '99'), 1);
    assert.equal(lookupShown(lookups, p, 'none'), -1);
    assert.equal(lookupShown(lookups, { ...p, x: 'P.y' }, '1'), -1);
    assert.equal(lookupShown(lookups, { ...p, z: 'P.z' }, undefined), -1, 'a plane is not in space');
    assert.equal(lookupShown(lookups, q, undefined), 3);
    assert.equal(lookupShown(lookups, { ...q, z: '' }, undefined), 3, 'from above');
    assert.deepEqual(axesOf(lookups[3] as Lookup), q);
    assert.equal(fieldsOf(lookups[1] as Lookup), 'P.x, y');
});

test('cells are squares around their middles; from above, those of one column are one', () => {
    const cells: Cells = { lookup: 0, type: 'P', fields: ['x', 'y', 'z'], cell: 2, merged: 1, entities: 6, most: 3, cells: [[0, -1, 4, 3], [0, -1, 5, 2], [1, 0, 0, 1]] };
    const flat = squaresOf(cells, false);
    assert.deepEqual(flat.squares, [{ at: [0, -1], low: [-1, -3], count: 5 }, { at: [1, 0], low: [1, -1], count: 1 }]);
    assert.deepEqual([flat.side, flat.most], [2, 5]);
    const deep = squaresOf({ ...cells, merged: 4 }, true);
    assert.deepEqual(deep.squares[1], { at: [0, -4, 20], low: [-1, -9, 39], count: 2 });
    assert.deepEqual([deep.side, deep.most], [8, 3]);
    assert.equal(printSquare(flat.squares[1]!, 1), 'cell 1, 0: 1 entity');
    assert.equal(printSquare(deep.squares[1]!, 4), 'cells 0 to 3, -4 to -1, 20 to 23: 2 entities');
    assert.ok(shadeOf(1, 100) < shadeOf(50, 100) && shadeOf(100, 100) <= 1 && shadeOf(0, 0) > 0);
});
