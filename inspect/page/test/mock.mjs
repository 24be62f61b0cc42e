// A mock of the server, for states that are rare in a real program: node test/mock.mjs [entities] [port]
// It serves dist, and answers all endpoints about an invented world. POST /mock/{state} changes its behaviour:
// fine, slow (answers nothing), trickle (the body comes 1.5 s after the head), down (breaks connections), denied (401), limited (429).

import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const dist = process.env.COVEY_PAGE ?? join(dirname(fileURLToPath(import.meta.url)), '../dist');
export const token = 'c0ffee00c0ffee00c0ffee00c0ffee00';

const csp =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const kinds = { '/index.html': 'text/html; charset=utf-8', '/page.js': 'text/javascript', '/page.css': 'text/css' };

const field = (name, kind, offset, count = 1, fields) => ({ name, kind, offset, count, ...(fields ? { fields } : {}) });
const vector = [field('x', 'f32', 0), field('y', 'f32', 4)];
const item = [field('kind', 'u16', 0), field('count', 'i32', 4)];
const type = (name, size, fields, more = {}) => ({
    name, size, align: 4, storage: 'block', policy: 'swap and pop', tag: size === 0, count: 0, ticks: false, disabled: true, fields, ...more,
});
const types = [
    type('Position', 8, vector),
    type('Velocity', 8, vector),
    type('Health', 8, [field('points', 'i32', 0), field('armour', 'u8', 4), field('padding', 'padding', 5, 3)], { ticks: true }),
    type('Target', 8, [field('entity', 'entity', 0)]),
    type('Inventory', 40, [field('label', 'char', 0, 16), field('items', 'struct', 16, 3, item)], { storage: 'sparse' }),
    type('Opaque', 24, null, { storage: 'pinned' }),
    type('Frozen', 0, null),
];
const names = ['<b>bold</b>', 'player', 'tank', 'turret', 'camera', 'north gate', 'dragon'];

/** More kinds than a page of them has; some have long names, or many types. */
function makeKinds() {
    const kind = (held, entities, blocks) => ({ types: held, entities, blocks, full: entities / (64 * blocks) });
    const rows = [kind(['Position', 'Velocity'], 6400, 100), kind(['Position', '<b>bold</b>'], 6399, 100), kind(['Long'.repeat(60)], 900, 16), kind(types.map((held) => held.name).concat(Array.from({ length: 25 }, (_, i) => `Part${i}`)), 64, 4)];
    for (let i = rows.length; i < 100; i++) rows.push(kind(['Position', `Trait${i}`], 1 + ((100 - i) % 64), 1));
    return { count: 2345, offset: 0, rows };
}

function makeWorld(entities) {
    const state = { frame: 0, paused: false, speed: 1, begun: Date.now(), undo: 0, edits: new Map(), log: [], kinds: makeKinds(), systems: { wind: true, move: true, weaken: true, ail: true, renew: true } };
    setInterval(() => {
        if (!state.paused) state.frame += state.speed;
        if (state.frame % 120 === 0) state.log.push({ number: state.log.length + 1, code: 'DEAD', text: 'cannot add Position to 7:1: the handle is stale', frame: state.frame });
    }, 16).unref();
    const has = (i, t) => [true, i % 3 !== 1, i % 5 === 0, i % 11 === 0, i % 29 === 0, i % 31 === 0, i % 17 === 0][t];
    const nameOf = (i) => state.edits.get(`${i}.name`) ?? (i < names.length ? names[i] : undefined);
    const value = (i, name) => {
        const a = i * 2.399963 + state.frame / 400;
        const r = Math.sqrt((i + 1) / entities) * 100;
        return {
            Position: { x: state.edits.get(`${i}.Position.x`) ?? Math.cos(a) * r, y: Math.sin(a) * r },
            Velocity: { x: -Math.sin(a), y: Math.cos(a) },
            Health: { points: (i * 7) % 100, armour: i % 256 },
            Target: { entity: i % 22 === 0 ? '0:0' : `${(i * 3) % entities}:1` },
            Inventory: { label: 'chest', items: [{ kind: 1, count: 2 }, { kind: 3, count: -4 }, { kind: 65535, count: 0 }] },
        }[name];
    };
    const listed = (i) => types.map((_, t) => t).filter((t) => has(i, t));
    const row = (i, columns) => ({
        e: `${i}:1`, ...(nameOf(i) ? { name: nameOf(i) } : {}), enabled: i % 37 !== 36, types: listed(i),
        values: Object.fromEntries(columns.filter((name) => has(i, types.findIndex((held) => held.name === name))).map((name) => [name, value(i, name)])),
    });
    const count = (t) => { let n = 0; const step = Math.max(1, Math.floor(entities / 1000)); for (let i = 0; i < entities; i += step) n += has(i, t) ? 1 : 0; return n * step; };
    types.forEach((held, t) => (held.count = count(t)));
    return { state, entities, has, value, row, nameOf };
}

function answers(world) {
    const { state, entities } = world;
    const error = (status, code, text, more = {}) => ({ status, body: { error: { code, text, ...more } } });
    const indexOf = (e) => Number(String(e).split(':')[0]);
    const rows = (p) => {
        const query = p.get('query') ?? '';
        const wrong = /\bPositon\b|\bUnknown\b/.exec(query);
        if (wrong) return error(422, 'TYPE', `the world has no component type of this name; did you mean Position?`, { at: wrong.index, length: wrong[0].length });
        const only = /^#(\d+)/.exec(query);
        const empty = query.includes('!Position');
        const total = empty ? 0 : only ? 1 : entities;
        const offset = Number(p.get('offset') ?? 0);
        const columns = (p.get('columns') ?? '').split(',').filter(Boolean);
        const list = [];
        for (let i = offset; i < Math.min(total, offset + Number(p.get('limit') ?? 100)); i++) list.push(world.row(only ? Number(only[1]) : i, columns));
        return { count: total, complete: true, scanned: entities, offset, rows: list };
    };
    const entity = (p) => {
        const i = indexOf(p.get('e'));
        if (!(i < entities)) return { e: p.get('e'), alive: false, enabled: true, children: { count: 0, first: [] }, components: [] };
        const components = types.filter((_, t) => world.has(i, t)).map((held) => ({
            type: held.name, enabled: true, bytes: held.size, ...(held.ticks ? { tick: Math.max(0, state.frame - 5) } : {}),
            ...(held.size === 0 ? {} : held.fields ? { value: world.value(i, held.name) } : { hex: '00ff10417a'.repeat(5).slice(0, 48) }),
        }));
        const children = i < 5 ? [1, 2, 3].map((n) => ({ e: `${i * 10 + n + 10}:1`, name: null })) : [];
        const mine = (source) => Math.floor((source * 3) % entities) === i && source % 22 !== 0 && world.has(source, 3);
        const from = i % 7 === 0 ? Array.from({ length: 300 }, (_, k) => k * 11) : Array.from({ length: entities }, (_, k) => k).filter(mine);
        const sources = [{ lookup: 0, type: 'Target', field: 'entity', count: from.length, first: from.slice(0, 20).map((k) => ({ e: `${k}:1`, name: world.nameOf(k) ?? null })) }, { lookup: 3, type: 'Inventory', field: 'owner', count: 0, first: [] }];
        return { e: p.get('e'), sources, alive: true, name: world.nameOf(i) ?? null, enabled: true, parent: i > 10 && i < 60 ? `${Math.floor(i / 10) - 1}:1` : null, children: { count: children.length, first: children }, components };
    };
    const table = {
        world: () => ({ version: 1, title: 'A made-up world', entities, pools: types.length, bytes: entities * 41, write: true, frame: state.frame, paused: state.paused, speed: state.speed, schedule: true, history: true, time: 3.1e6 + Math.random() * 1e6, tick: state.frame }),
        types: () => ({ types }),
        entities: rows,
        'time/entities': rows,
        entity,
        'time/entity': entity,
        complete: (p) => {
            const query = p.get('query') ?? '';
            const to = Number(p.get('at') ?? query.length);
            const from = to - (/[\w.]*$/.exec(query.slice(0, to))?.[0].length ?? 0);
            const word = query.slice(from, to).toLowerCase();
            return { from, to, words: types.filter((held) => held.name.toLowerCase().startsWith(word)).map((held) => ({ text: held.name, kind: held.tag ? 'tag' : 'component', detail: `${held.count}` })) };
        },
        tree: (p) => {
            const parent = p.get('parent');
            const list = parent ? [1, 2, 3].map((n) => ({ e: `${indexOf(parent) * 10 + n + 10}:1`, name: null, children: 0, types: [0] })) : names.map((_, i) => ({ e: `${i}:1`, name: world.nameOf(i), children: i < 5 ? 3 : 0, types: [0, 1] }));
            return { count: list.length, rows: list };
        },
        values: (p) => ({ values: (p.get('watch') ?? '').split(',').map((held, k) => Math.sin(state.frame / 40 + k) * 10) }),
        resources: () => ({ resources: [] }),
        storage: () => ({
            pools: types.map((held) => ({
                type: held.name, kind: held.storage, policy: held.policy, count: held.count, bytes: held.count * (held.size + 1) + 4000, linear: entities * held.size, bitmask: held.count * held.size + entities / 8,
                sparse: held.count * (held.size + 12), holes: held.name === 'Inventory' ? 120 : 0, spans: Math.ceil(held.count / 300), ids: entities, group: false, best: held.name === 'Inventory' ? 'block' : held.storage, best_bytes: held.count * held.size, do: held.name === 'Inventory' ? 'convert' : null,
            })),
            kinds: state.kinds,
        }),
        map: (p) => {
            const list = Buffer.alloc(Number(p.get('count')) * 2);
            const rare = types.findIndex((held) => held.name === p.get('type'));
            for (let i = 0; i < list.length / 2; i++) {
                const fill = rare === 0 ? 64 : Math.round(32 + 30 * Math.sin(i / 20) * Math.cos(i / 3));
                list[i * 2] = fill === 64 ? 4 : fill > 40 ? 3 : fill > 4 ? 2 : 1;
                list[i * 2 + 1] = fill > 4 ? fill : 0;
            }
            return list;
        },
        systems: () => ({ systems: Object.entries(state.systems).map(([name, on], i) => ({ name, phase: i < 4 ? 'simulate' : 'end', on, runs: state.frame, last: 3e5 * (i + 1) + Math.random() * 1e5, mean: 3.2e5 * (i + 1), worst: 9e5 * (i + 1), busy: 5e5 * (i + 1), waited: 2000 * i, pieces: 8, threads: 2, entities: Math.floor(entities / (i + 1)) })) }),
        'entity/systems': () => ({ systems: [{ name: 'move', phase: 'simulate', on: true, reads: ['Velocity'], writes: ['Position'] }] }),
        plan: () => ({
            phases: ['simulate', 'end'],
            systems: ['wind', 'move', 'weaken', 'ail', 'renew'].map((name, i) => ({ name, phase: i < 4 ? 'simulate' : 'end', stage: i, split: i < 4, exclusive: i === 4, reads: ['Velocity'], writes: [types[i].name] })),
            edges: [{ from: 0, to: 1, why: 'writes Velocity' }, { from: 0, to: 2, why: 'writes Velocity' }, { from: 2, to: 3, why: 'writes Health' }, { from: 3, to: 4, why: 'sync point' }],
        }),
        timeline: (p) => {
            const frames = [];
            for (let f = 0; f < Number(p.get('frames') ?? 6); f++) {
                const pieces = [];
                for (let s = 0; s < 5; s++) for (let k = 0; k < 4; k++) pieces.push({ system: s, piece: k, thread: k % 2, begin: s * 1e6 + Math.floor(k / 2) * 4.6e5, end: s * 1e6 + Math.floor(k / 2) * 4.6e5 + 4.2e5 });
                frames.push({ at: (state.frame + f) * 16e6, length: 5e6, pieces });
            }
            return { threads: 2, frames };
        },
        space: (p) => {
            const n = Math.min(entities, Number(p.get('limit') ?? 20000));
            const valued = !!p.get('value');
            const list = Buffer.alloc(16 + n * (valued ? 16 : 12));
            list.write('CVSP', 'latin1');
            list.writeUInt32LE(n, 4);
            list.writeUInt32LE(entities, 8);
            list.writeUInt32LE(valued ? 2 : 0, 12);
            for (let k = 0, at = 16; k < n; k++) {
                const i = Math.floor((k * entities) / n);
                const { x, y } = world.value(i, 'Position');
                at = list.writeFloatLE(x, at);
                at = list.writeFloatLE(y, at);
                if (valued) at = list.writeFloatLE((i * 7) % 100, at);
                at = list.writeUInt32LE(i, at);
            }
            return list;
        },
        lookups: () => ({
            lookups: [
                { type: 'Target', fields: ['entity'], kind: 'entity', finds: 'values', when_target_ends: 'remove', cell: null, count: Math.floor(entities / 11), bytes: entities * 6 },
                { type: 'Health', fields: ['points'], kind: 'i32', finds: 'ranges', when_target_ends: null, cell: null, count: Math.floor(entities / 5), bytes: entities * 9 },
                { type: 'Position', fields: ['x', 'y'], kind: 'f32', finds: 'places', when_target_ends: null, cell: 10, count: entities, bytes: entities * 60 },
                { type: 'Inventory', fields: ['label'], kind: 'char', finds: 'values', when_target_ends: null, cell: null, count: 0, bytes: 400 },
            ],
        }),
        cells: (p) => {
            if (p.get('lookup') !== '2') return error(409, 'REFUSED', 'this lookup has no places');
            const found = new Map();
            for (let i = 0; i < entities; i++) {
                const { x, y } = world.value(i, 'Position');
                const key = `${Math.round(x / 10)},${Math.round(y / 10)}`;
                found.set(key, (found.get(key) ?? 0) + 1);
            }
            return { lookup: 2, type: 'Position', fields: ['x', 'y'], cell: 10, merged: 1, entities, most: Math.max(...found.values()), cells: [...found].map(([key, n]) => [...key.split(',').map(Number), n]) };
        },
        time: () => ({ capacity: 32, bytes: 3e6, snapshots: Array.from({ length: 32 }, (_, back) => ({ back, number: 1000 + Math.floor(state.frame / 60) - back, bytes: 1e5, tick: Math.max(32, state.frame - (state.frame % 20)) - back, entities: entities - back * 3 })) }),
        'time/diff': () => ({ added: 3, removed: 1, changed: 128, types: [{ type: 'Position', added: 3, removed: 1, changed: 128 }], rows: [{ e: '5:1', name: 'north gate', what: 'changed', types: ['Position'] }] }),
        events: () => ({ seconds: Array.from({ length: 30 }, (_, i) => ({ at: i, types: [{ type: 'Position', added: 10 + (i % 7), set: 100 + i * 3, removed: i % 4 }, { type: 'Frozen', added: 2, set: 0, removed: 2 }] })) }),
        log: (p) => ({ lines: state.log.filter((line) => line.number > Number(p.get('since') ?? 0)).slice(-200) }),
    };
    const changes = {
        edit: (body) => {
            if (body.do === 'set' && body.value === 666) return error(409, 'REFUSED', 'cannot set Position.x: the made-up world does not like this number');
            if (body.do === 'set') state.edits.set(`${indexOf(body.e)}.${body.type}.${body.path}`, body.value);
            if (body.do === 'rename') state.edits.set(`${indexOf(body.e)}.name`, body.name);
            return { ok: true, undo: ++state.undo };
        },
        undo: () => (state.edits.clear(), { ok: true }),
        run: (body) => {
            if (body.paused !== undefined) state.paused = body.paused;
            if (body.speed) state.speed = body.speed;
            if (body.step) { state.paused = true; state.frame += body.step; }
            return { ok: true };
        },
        systems: (body) => ((state.systems[body.name] = body.on), { ok: true }),
        storage: () => ({ before: 20000, after: 12000 }),
        time: () => ({ ok: true }),
    };
    return { table, changes };
}

export function startMock({ entities = 2000, port = 0 } = {}) {
    const { table, changes } = answers(makeWorld(entities));
    let behaviour = 'fine';
    const open = new Map(); // requests that are not answered yet, by path
    const overlaps = new Set(); // paths of requests that came while another one to the same path was open
    const track = (path, response) => {
        const count = open.get(path) ?? 0;
        if (count > 0) overlaps.add(path);
        open.set(path, count + 1);
        response.on('close', () => open.set(path, open.get(path) - 1));
    };
    const send = (response, status, body) => {
        const binary = Buffer.isBuffer(body);
        response.writeHead(status, { 'Content-Type': binary ? 'application/octet-stream' : 'application/json', 'Cache-Control': 'no-store' });
        response.flushHeaders();
        setTimeout(() => response.end(binary ? body : JSON.stringify(body)), behaviour === 'trickle' ? 1500 : 0);
    };
    const server = createServer((request, response) => {
        const url = new URL(request.url, 'http://localhost');
        if (url.pathname.startsWith('/mock/')) {
            behaviour = url.pathname.slice(6);
            return send(response, 200, { behaviour });
        }
        if (!url.pathname.startsWith('/api/v1/')) {
            const path = url.pathname === '/' ? '/index.html' : url.pathname;
            if (!kinds[path]) return send(response, 404, {});
            response.writeHead(200, { 'Content-Type': kinds[path], 'Content-Security-Policy': csp });
            return response.end(readFileSync(join(dist, path)));
        }
        track(url.pathname, response);
        if (behaviour === 'down') return request.socket.destroy();
        if (behaviour === 'slow') return undefined;
        if (behaviour === 'denied' || request.headers.authorization !== `Bearer ${token}`) return send(response, 401, { error: { code: 'TOKEN', text: 'the token is wrong' } });
        if (behaviour === 'limited') return send(response, 429, { error: { code: 'LIMIT', text: 'too many requests a second' } });
        const path = url.pathname.slice(8);
        let text = '';
        request.on('data', (part) => (text += part));
        request.on('end', () => {
            const answer = request.method === 'POST' ? changes[path]?.(JSON.parse(text || '{}')) : table[path]?.(url.searchParams);
            if (!answer) return send(response, 404, { error: { code: 'ABSENT', text: `there is no ${path}` } });
            return send(response, answer.status ?? 200, answer.status ? answer.body : answer);
        });
    });
    return new Promise((resolve) => {
        server.listen(port, '127.0.0.1', () => {
            const origin = `http://127.0.0.1:${server.address().port}`;
            resolve({ origin, address: `${origin}/#token=${token}`, overlaps, behave: (state) => (behaviour = state), rename: (name, next) => (types.find((held) => held.name === name).name = next), close: () => (server.closeAllConnections(), server.close()) });
        });
    });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
    const mock = await startMock({ entities: Number(process.argv[2] ?? 2000), port: Number(process.argv[3] ?? 0) });
    console.log(mock.address);
}
