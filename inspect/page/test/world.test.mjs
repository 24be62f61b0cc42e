// What a user sees and does, with a real running world. The numbers are those of the list in docs/inspect.md.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { eventually, launch, openPage, startWorld, views } from './browser.mjs';

let browser;
let world;

before(async () => {
    browser = await launch();
    world = await startWorld('--entities', '4000');
});
after(async () => {
    await browser?.close();
    await world?.end();
});

const refused = [/Failed to load resource: the server responded with a status of (409|422)/];

/** Opens a view, with an entity selected if one is named. */
async function open(view, { entity, ...options } = {}) {
    const opened = await openPage(browser, world.address, options);
    const { page } = opened;
    await page.getByRole('main').waitFor();
    await page.locator('.numbers').waitFor();
    if (entity) {
        const e = await world.named(entity);
        await page.evaluate((hash) => { location.hash = hash; }, `#/${view}?e=${e}`);
        await page.locator('.entity-head code.id', { hasText: e }).waitFor();
        return { ...opened, e };
    }
    if (view !== 'entities') await page.keyboard.press(String(views.findIndex((name) => name.toLowerCase() === view) + 1));
    return opened;
}

const detail = async (e) => world.ask(`entity?e=${e}`);
const component = async (e, type) => (await detail(e)).components.find((held) => held.type === type);
const note = (page, text) => page.locator('.note', { hasText: text }).first().waitFor();

// ---- 0. The frame ----

test('the top bar shows the world, and numbers that move', async () => {
    const { page, close } = await open('entities');
    await page.getByRole('heading', { name: 'A world of the tests' }).waitFor();
    const about = await world.ask('world');
    assert.equal(await page.locator('[data-number=entities]').textContent(), about.entities.toLocaleString('en-US'));
    const frame = await page.locator('[data-number=frame]').textContent();
    await eventually('frames go on', async () => (await page.locator('[data-number=frame]').textContent()) !== frame);
    await eventually('a rate is shown', async () => /^\d/.test(await page.locator('[data-number=fps]').textContent()));
    await close();
});

test('all views open without a complaint, in dark and light and at 200 %', async () => {
    for (const options of [{ theme: 'dark' }, { theme: 'light' }, { scale: 2 }]) {
        const { page, close } = await open('entities', { entity: 'flagship', ...options });
        for (const [number, view] of views.entries()) {
            await page.keyboard.press(String(number + 1));
            await page.getByRole('main', { name: view, exact: true }).waitFor();
            await page.waitForTimeout(400);
            assert.equal(await page.locator('.state.error').count(), 0, view);
            const over = await page.evaluate(() => document.querySelector('main').scrollWidth - document.querySelector('main').clientWidth);
            assert.ok(over <= 0, `${view} is ${over} pixels too wide`);
        }
        await close();
    }
});

// ---- 1. Entities ----

test('a query has completion, a count and columns, live', async () => {
    const { page, close } = await open('entities', { allow: refused });
    await page.locator('#query').click();
    await page.keyboard.type('Posi');
    await page.getByRole('option', { name: /^Position/ }).waitFor();
    await page.keyboard.press('Tab');
    await eventually('the word is completed', async () => (await page.inputValue('#query')) === 'Position');
    await page.keyboard.type(', Health.points < 10');
    await page.keyboard.press('Escape');
    const wanted = (await world.ask(`entities?query=${encodeURIComponent('Position, Health.points < 10')}&limit=1`)).count;
    await eventually('the count is that of the server', async () => {
        const shown = Number((await page.locator('[data-number=matches]').textContent()).replaceAll(',', ''));
        return shown > 0 && Math.abs(shown - wanted) <= 40; // health changes between the two requests
    });
    await page.getByRole('columnheader', { name: 'Health.points' }).waitFor();
    const points = await page.locator('.cells').first().locator('[role=gridcell]').nth(3).textContent();
    assert.ok(Number(points) < 10 || Number(points) === 10, points);
    const x = page.locator('.cells').first().locator('[role=gridcell]').nth(1);
    await page.fill('#query', 'Position, Velocity, !Frozen');
    await page.keyboard.press('Escape');
    await page.getByRole('columnheader', { name: 'Velocity.x' }).waitFor();
    const before = await x.textContent();
    await eventually('values move', async () => (await x.textContent()) !== before);
    await page.fill('#query', 'Position, Velocty');
    await page.locator('#query-error').waitFor();
    assert.equal((await page.locator('.query-box mark').textContent()).trim(), 'Velocty');
    await close();
});

test('columns are chosen', async () => {
    const { page, close } = await open('entities');
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('group', { name: 'Columns' }).getByLabel('Velocity').check();
    await page.getByRole('columnheader', { name: 'Velocity.y' }).waitFor();
    await page.getByRole('group', { name: 'Columns' }).getByLabel('Velocity').uncheck();
    await page.getByRole('columnheader', { name: 'Velocity.y' }).waitFor({ state: 'detached' });
    await close();
});

test('rows are sorted by a column, both ways, and by index again', async () => {
    const { page, close } = await open('entities');
    await page.fill('#query', 'Health, Velocity');
    await page.keyboard.press('Escape');
    const heading = page.getByRole('columnheader', { name: 'Health.points' });
    const cells = async () => {
        const texts = await page.locator('.cells:not(.pending) [role=gridcell]:nth-child(2)').allTextContents();
        return texts.map(Number).slice(0, 12);
    };
    const sorted = (rows, sign) => rows.length === 12 && rows.every((points, i) => i === 0 || sign * (points - rows[i - 1]) >= 0);
    await heading.getByRole('button').click();
    assert.equal(await heading.getAttribute('aria-sort'), 'ascending');
    await eventually('the smallest come first', async () => { const rows = await cells(); return sorted(rows, 1) && rows[11] <= 2; });
    await heading.getByRole('button').click();
    assert.equal(await heading.getAttribute('aria-sort'), 'descending');
    await eventually('the largest come first', async () => { const rows = await cells(); return sorted(rows, -1) && rows[11] >= 97; });
    await heading.getByRole('button').click();
    assert.equal(await heading.getAttribute('aria-sort'), null);
    await eventually('rows are in index order', async () => !sorted(await cells(), -1));
    await close();
});

test('fields say how they are shown: sliders, a list of names, colours', async () => {
    const { page, e, close } = await open('entity', { entity: 'turret' });
    const lamp = page.getByRole('region', { name: 'Lamp' });
    const value = async () => (await component(e, 'Lamp')).value;
    await lamp.getByRole('slider', { name: 'Lamp.power, slider' }).fill('7.5');
    await note(page, 'Set Lamp.power to 7.5');
    assert.equal((await value()).power, 7.5);
    const turn = lamp.getByRole('slider', { name: 'Lamp.turn in degrees, slider' });
    assert.equal(await turn.inputValue(), '29', 'half a radian');
    await turn.fill('90');
    await note(page, 'Set Lamp.turn');
    assert.ok(Math.abs((await value()).turn - Math.PI / 2) < 1e-6);
    await lamp.getByText('90°').waitFor();
    const state = lamp.getByRole('combobox', { name: 'Lamp.state' });
    assert.deepEqual(await state.locator('option').allTextContents(), ['off', 'steady', 'blinking']);
    assert.equal(await state.inputValue(), '1');
    await state.selectOption('blinking');
    await eventually('the state is set', async () => (await value()).state === 2);
    await world.ask('edit', { do: 'set', e, type: 'Lamp', path: 'state', value: 9 });
    await state.locator('option', { hasText: '9, without a name' }).waitFor({ state: 'attached' });
    const tint = lamp.getByLabel('Lamp.tint', { exact: true });
    assert.equal(await tint.inputValue(), '#ff8000');
    await tint.fill('#102030');
    await eventually('the colour is set, and its alpha kept', async () => (await value()).tint === 0x102030c0);
    const mix = lamp.getByLabel('Lamp.mix', { exact: true });
    assert.equal(await mix.inputValue(), '#336699');
    await mix.fill('#ff0000');
    await eventually('all parts are set', async () => (await value()).mix.join() === '1,0,0');
    await page.evaluate(() => { location.hash = '#/entities?q=Lamp'; });
    await page.reload();
    await page.locator('.cells', { hasText: 'turret' }).waitFor();
    await world.ask('edit', { do: 'set', e, type: 'Lamp', path: 'state', value: 1 });
    await page.locator('.cells', { hasText: 'steady' }).waitFor();
    await close();
});

test('an entity shows the systems that iterate it', async () => {
    const { page, e, close } = await open('entity', { entity: 'flagship' });
    const systems = page.getByRole('group', { name: 'Systems of the entity' });
    await systems.getByRole('button', { name: 'move' }).waitFor();
    assert.deepEqual(await systems.getByRole('button').allTextContents(), ['move', 'heal', 'wrap']);
    await world.ask('edit', { do: 'add', e, type: 'Frozen' });
    await systems.getByRole('button', { name: 'move' }).waitFor({ state: 'detached' });
    await world.ask('edit', { do: 'remove', e, type: 'Frozen' });
    await systems.getByRole('button', { name: 'heal' }).click();
    await page.getByRole('main', { name: 'Systems', exact: true }).waitFor();
    await close();
});

test('several entities are marked, edited at once, and taken back', async () => {
    const { page, close } = await open('entities');
    await page.fill('#query', 'parent, Position, !Health');
    await page.keyboard.press('Escape');
    await page.getByRole('columnheader', { name: 'Position.x' }).waitFor();
    const escorts = await Promise.all([1, 2, 3, 4].map((n) => world.named(`escort ${n}`)));
    const row = (n) => page.locator(`.cells[data-e="${escorts[n - 1]}"]`);
    const xs = () => Promise.all(escorts.map(async (e) => (await component(e, 'Position'))?.value.x));
    const before = await xs();
    await row(1).click();
    await row(3).click({ modifiers: ['Shift'] });
    const panel = page.getByRole('complementary', { name: 'Marked entities' });
    await panel.getByRole('heading', { name: '3 entities' }).waitFor();
    const x = panel.getByRole('textbox', { name: 'Position.x' });
    assert.equal(await x.inputValue(), '', 'the values differ');
    assert.equal(await x.getAttribute('placeholder'), 'various');
    await eventually('y is the same in all', async () => (await panel.getByRole('textbox', { name: 'Position.y' }).inputValue()) === '20');
    await x.fill('42');
    await x.press('Enter');
    await note(page, 'Set Position.x to 42 of 3 entities');
    assert.deepEqual(await xs(), [42, 42, 42, before[3]]);
    await page.locator('.note', { hasText: 'Set Position.x' }).getByRole('button', { name: 'Undo' }).click();
    await note(page, 'Undone');
    assert.deepEqual(await xs(), before);
    await row(4).click({ modifiers: ['Control'] });
    await panel.getByRole('heading', { name: '4 entities' }).waitFor();
    await row(2).click({ modifiers: ['Control'] });
    await panel.getByRole('heading', { name: '3 entities' }).waitFor();
    await panel.getByRole('button', { name: 'Add a component' }).click();
    await page.getByRole('combobox', { name: 'Component to add' }).fill('Frozen');
    await page.keyboard.press('Enter');
    await note(page, 'Added Frozen to 3 entities');
    await panel.getByRole('button', { name: 'Remove Frozen' }).click();
    await note(page, 'Removed Frozen of 3 entities');
    assert.equal(await component(escorts[0], 'Frozen'), undefined);
    await page.locator('.vlist.grid').focus();
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    await row(1).click();
    await page.keyboard.press('Shift+ArrowDown');
    await panel.getByRole('heading', { name: '2 entities' }).waitFor();
    await row(4).click();
    await page.getByRole('complementary', { name: 'Selected entity' }).waitFor();
    assert.equal(await panel.count(), 0, 'a click marks nothing');
    await close();
});

test('the matches of a query are saved as CSV and as JSON', async () => {
    const { page, close } = await open('entities');
    const saved = async (format) => {
        const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: format, exact: true }).click()]);
        return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') };
    };
    await page.fill('#query', 'Inventory, name');
    await page.keyboard.press('Escape');
    await page.getByRole('columnheader', { name: 'Inventory.label' }).waitFor();
    await page.getByRole('button', { name: 'Export' }).click();
    const csv = await saved('CSV');
    assert.equal(csv.name, 'A_world_of_the_tests.csv');
    const [head, row, end] = csv.text.split('\r\n');
    assert.match(head, /^entity,name,enabled,components,Inventory\.label,Inventory\.items\[0\]\.kind,.*Inventory\.items\[2\]\.count,Inventory\.owner$/);
    assert.match(row, /^\d+:1,flagship,true,.*Everything.*Inventory.*,cargo,1,10,2,20,3,-30,\d+:1$/);
    assert.equal(end, '', 'one entity matches');
    await note(page, 'Exported 1 entity');
    await page.fill('#query', 'Position');
    await page.keyboard.press('Escape');
    await page.getByRole('columnheader', { name: 'Position.x' }).waitFor();
    const entities = JSON.parse((await saved('JSON')).text);
    assert.equal(entities.length, (await world.ask('entities?query=Position&limit=0')).count, 'more than one answer has');
    assert.ok(entities.length > 1000 && new Set(entities.map((held) => held.entity)).size === entities.length);
    const flagship = entities.find((held) => held.name === 'flagship');
    assert.ok(flagship.components.includes('Position') && typeof flagship.values.Position.x === 'number');
    await close();
});

test('queries are saved, found again after a reload, and forgotten', async () => {
    const { page, close } = await open('entities', { allow: refused });
    const menu = page.getByRole('button', { name: 'Saved queries' });
    await page.fill('#query', 'Positio');
    await page.locator('#query-error').waitFor();
    await page.keyboard.press('Escape');
    await menu.click();
    assert.equal(await page.getByRole('button', { name: 'Save this query' }).isDisabled(), true, 'it is wrong');
    await page.keyboard.press('Escape');
    await page.fill('#query', 'Position, Health.points < 10');
    await page.locator('#query-error').waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await menu.click();
    await page.getByRole('button', { name: 'Save this query' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Clear the query' }).click();
    await page.reload();
    await page.waitForSelector('.cells .who');
    await menu.click();
    await page.getByRole('button', { name: 'Position, Health.points < 10', exact: true }).click();
    await eventually('the query is used', async () => (await page.inputValue('#query')) === 'Position, Health.points < 10');
    await page.getByRole('columnheader', { name: 'Health.points' }).waitFor();
    await page.getByRole('button', { name: 'Forget Position, Health.points < 10' }).click();
    await page.getByText('Queries that you save are listed here').waitFor();
    await close();
});

test('the hierarchy opens by keyboard, and leads to the entity', async () => {
    const { page, close } = await open('entities');
    const tree = page.getByRole('tree', { name: 'Hierarchy' });
    await tree.locator('.tree-line', { hasText: 'fleet' }).click();
    await tree.focus();
    await page.keyboard.press('ArrowRight');
    await tree.locator('.tree-line', { hasText: 'flagship' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    await tree.locator('.tree-line', { hasText: 'turret' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.locator('.entity-head .name', { hasText: 'turret' }).waitFor();
    await page.keyboard.press('ArrowLeft');
    await page.locator('.entity-head .name', { hasText: 'flagship' }).waitFor();
    await page.keyboard.press('ArrowLeft');
    await tree.locator('.tree-line', { hasText: 'turret' }).waitFor({ state: 'detached' });
    await close();
});

test('names are text, never HTML', async () => {
    const { page, close } = await open('entities', { entity: '<img' });
    await page.locator('.entity-head .name', { hasText: '<img src=x>' }).waitFor();
    assert.equal(await page.locator('img').count(), 0);
    await close();
});

// ---- 2. One entity ----

test('a value is edited, checked, and undone', async () => {
    const { page, close, e } = await open('entities', { entity: 'flagship' });
    const points = page.getByLabel('Health.points', { exact: true });
    await points.fill('2147483648');
    await page.keyboard.press('Enter');
    await page.locator('.editor .wrong', { hasText: 'i32 must be from' }).waitFor();
    await page.keyboard.press('Escape');
    await points.fill('42');
    await page.keyboard.press('Enter');
    await note(page, 'Set Health.points to 42');
    const value = (await component(e, 'Health')).value.points;
    assert.ok(value >= 42 && value <= 44, `${value}`);
    const armour = page.getByLabel('Health.armour', { exact: true });
    await armour.fill('200');
    await page.keyboard.press('Enter');
    await note(page, 'Set Health.armour to 200');
    assert.equal((await component(e, 'Health')).value.armour, 200);
    await page.locator('.note', { hasText: 'Set Health.armour' }).getByRole('button', { name: 'Undo' }).click();
    await note(page, 'Undone');
    assert.equal((await component(e, 'Health')).value.armour, 12);
    await close();
});

test('fields of every kind are shown and edited', async () => {
    const { page, close, e } = await open('entity', { entity: 'flagship' });
    const shown = (path) => page.getByLabel(`Everything.${path}`, { exact: true }).inputValue();
    await page.getByLabel('Everything.u64', { exact: true }).waitFor();
    assert.equal(await shown('u64'), '18446744073709551615');
    assert.equal(await shown('i64'), '-9223372036854775808');
    assert.equal(await shown('f64'), '0.1');
    assert.equal(await shown('u16'), '65535');
    const set = async (path, text, type = 'Everything') => {
        await page.getByLabel(`${type}.${path}`, { exact: true }).fill(text);
        await page.keyboard.press('Enter');
        await note(page, `Set ${type}.${path}`);
    };
    await set('u64', '9007199254740993');
    await set('i8', '-128');
    await set('f32', '1e20');
    assert.equal((await component(e, 'Everything')).value.f32, 1e20);
    await set('f32', '-2.5e3');
    await set('f64', 'nan');
    await set('letter', 'z');
    await set('matrix[3]', '7');
    await set('label', 'gold', 'Inventory');
    await set('items[1].count', '-5', 'Inventory');
    await page.getByLabel('Everything.flag', { exact: true }).click();
    await note(page, 'Set Everything.flag to false');
    const everything = (await component(e, 'Everything')).value;
    assert.deepEqual([everything.u64, everything.i8, everything.f32, everything.letter, everything.flag, everything.f64], ['9007199254740993', -128, -2500, 'z', false, 'nan']);
    const inventory = (await component(e, 'Inventory')).value;
    assert.deepEqual([inventory.label, inventory.items[1].count], ['gold', -5]);
    const u8 = page.getByLabel('Everything.u8', { exact: true });
    await u8.focus();
    await page.keyboard.press('ArrowUp');
    await eventually('one up', async () => (await component(e, 'Everything')).value.u8 === 201);
    await close();
});

test('types without fields are shown as bytes', async () => {
    const { page, close } = await open('entities', { entity: '<img' });
    await page.locator('[data-type=Opaque] .hex', { hasText: 'bytes without a ' }).waitFor();
    await close();
});

test('components are added by search, disabled, enabled and removed; every edit is undone', async () => {
    const { page, close, e } = await open('entities', { entity: 'escort 3' });
    await page.keyboard.press('a');
    await page.getByLabel('Component to add').fill('veloc');
    await page.keyboard.press('Enter');
    await page.locator('[data-type=Velocity]').waitFor();
    assert.ok(await component(e, 'Velocity'));
    await page.getByRole('switch', { name: 'Disable Velocity' }).click({ force: true });
    await page.getByRole('switch', { name: 'Enable Velocity' }).waitFor();
    assert.equal((await component(e, 'Velocity')).enabled, false);
    await page.getByRole('switch', { name: 'Enable Velocity' }).click({ force: true });
    await page.getByRole('switch', { name: 'Disable Velocity' }).waitFor();
    await page.getByRole('button', { name: 'Remove Velocity' }).click();
    await page.locator('[data-type=Velocity]').waitFor({ state: 'detached' });
    await page.getByRole('main').click({ position: { x: 300, y: 5 } });
    await page.keyboard.press('Control+z');
    await page.locator('[data-type=Velocity]').waitFor();
    await close();
});

test('an entity is disabled, renamed, moved below another, and destroyed after a question', async () => {
    const { page, close, e } = await open('entities', { entity: 'escort 5' });
    await page.getByRole('switch', { name: 'Enabled: switch it off' }).click({ force: true });
    await page.getByRole('switch', { name: 'Disabled: switch it on' }).waitFor();
    assert.equal((await detail(e)).enabled, false);
    await page.keyboard.press('F2');
    await page.getByLabel('Name', { exact: true }).fill('renamed');
    await page.keyboard.press('Enter');
    await page.locator('.entity-head .name', { hasText: 'renamed' }).waitFor();
    const turret = await world.named('turret');
    await page.getByRole('button', { name: 'Change the parent' }).click();
    await page.getByLabel(/^Parent:/).fill(turret);
    await page.keyboard.press('Enter');
    await page.locator('.place', { hasText: 'turret' }).waitFor();
    assert.equal((await detail(e)).parent, turret);
    await page.getByRole('main').click({ position: { x: 300, y: 5 } });
    await page.keyboard.press('Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    assert.equal((await detail(e)).alive, true);
    await page.keyboard.press('Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Destroy' }).click();
    await note(page, 'Destroyed');
    assert.equal((await detail(e)).alive, false);
    await close();
});

test('an entity is duplicated with all below it, by key and by button', async () => {
    const { page, close, e } = await open('entities', { entity: 'flagship' });
    const { entities } = await world.ask('world');
    await page.keyboard.press('d');
    await note(page, 'Duplicated flagship');
    await page.locator('.entity-head .name', { hasText: 'no name' }).waitFor();
    const copy = await page.locator('.entity-head code.id').textContent();
    const [old, made] = [await detail(e), await detail(copy)];
    assert.equal((await world.ask('world')).entities, entities + 2, 'the turret, too');
    assert.equal(made.parent, old.parent);
    assert.deepEqual(made.components.map((held) => held.type), old.components.map((held) => held.type));
    assert.equal((await component(copy, 'Everything')).value.u64, (await component(e, 'Everything')).value.u64);
    await page.getByRole('button', { name: 'Duplicate, with all below it (D)' }).click();
    await eventually('another one', async () => (await world.ask('world')).entities === entities + 4);
    for (const child of (await detail(old.parent)).children.first.filter((held) => held.name === null)) await world.ask('edit', { do: 'destroy', e: child.e, tree: true });
    assert.equal((await world.ask('world')).entities, entities);
    await close();
});

test('a row of the hierarchy is dragged to another parent, and to the roots', async () => {
    const { page, close, e } = await open('entities', { entity: 'escort 8', allow: refused });
    const turret = await world.named('turret');
    const row = (name) => page.getByRole('tree').locator('.tree-line', { has: page.getByText(name, { exact: true }) });
    await row('fleet').getByRole('button', { name: 'Open' }).click();
    await row('flagship').getByRole('button', { name: 'Open' }).click();
    await row('turret').waitFor(); // rows below it have moved down
    await row('escort 8').dragTo(row('turret'));
    await note(page, 'Moved escort 8 below turret');
    assert.equal((await detail(e)).parent, turret);
    await eventually('it is shown there', async () => (await row('turret').getByRole('button', { name: 'Close' }).count()) === 1 && (await row('escort 8').count()) === 1);
    await row('flagship').dragTo(row('turret'));
    await page.locator('.note.failed').waitFor(); // it would be its own ancestor
    const box = await page.locator('.tree-rows').boundingBox();
    await row('escort 8').dragTo(page.locator('.tree-rows'), { targetPosition: { x: 60, y: box.height - 20 } });
    await note(page, 'Made escort 8 a root');
    assert.equal((await detail(e)).parent, null);
    await page.getByRole('main').click({ position: { x: 300, y: 5 } });
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    await eventually('it is undone', async () => (await detail(e)).parent_name === 'fleet');
    await close();
});

test('keys act as soon as what they are for is there', async () => {
    const { page, close } = await open('entities', { entity: 'escort 6' });
    const press = (...keys) => page.evaluate((keys) => keys.forEach((key) => (document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))), keys);
    const pressAndLook = (key) => page.evaluate(async (key) => {
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
        await Promise.resolve(); // what is due before the next key
        await Promise.resolve();
        const held = document.activeElement;
        return held.id || held.getAttribute('aria-label') || held.tagName;
    }, key);
    assert.equal(await pressAndLook('a'), 'Component to add');
    await press('Escape');
    await page.locator('.add-component input').waitFor({ state: 'detached' });
    assert.equal(await pressAndLook('F2'), 'Name');
    await press('Escape');
    await page.locator('.rename').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Space' }).click();
    await page.getByRole('main', { name: 'Space' }).waitFor();
    assert.equal(await pressAndLook('/'), 'query');
    await page.getByRole('main', { name: 'Entities' }).waitFor();
    await close();
});

test('what the world refuses is said in words', async () => {
    const { page, close } = await open('entities', { entity: 'escort 6', allow: refused });
    await page.keyboard.press('F2');
    await page.getByLabel('Name', { exact: true }).fill('escort 7');
    await page.keyboard.press('Enter');
    await page.locator('.note.failed').waitFor();
    assert.ok((await page.locator('.note.failed .text').textContent()).length > 20);
    await close();
});

test('an entity is created', async () => {
    const { page, close } = await open('entities');
    const count = (await world.ask('world')).entities;
    await page.getByRole('button', { name: 'Create' }).click();
    await page.locator('.entity-head').waitFor();
    assert.equal((await world.ask('world')).entities, count + 1);
    await close();
});

test('a field that names an entity is followed, and the browser goes back', async () => {
    const { page, close } = await open('entities', { entity: 'turret' });
    await page.getByRole('button', { name: /^Follow Target.entity/ }).click();
    await page.locator('.entity-head .name', { hasText: '<img src=x>' }).waitFor();
    await page.goBack();
    await page.locator('.entity-head .name', { hasText: 'turret' }).waitFor();
    await close();
});

test('an entity shows who points at it; a query lists all of them; links in the table lead to it', async () => {
    const { page, close, e } = await open('entities', { entity: 'flagship' });
    const sources = page.getByRole('group', { name: 'Who points at the entity' });
    await sources.getByText('Target.entity · 40').waitFor();
    assert.equal(await sources.locator('.entity-link').count(), 12);
    await sources.getByRole('button', { name: '28 more …' }).click();
    await eventually('the query is theirs', async () => (await page.locator('#query').inputValue()) === `Target.entity == ${e}`);
    await page.locator('[data-number=matches]', { hasText: /^40$/ }).waitFor();
    const first = page.locator('.cells[data-e]').first();
    const source = await first.getAttribute('data-e');
    await first.locator('.who').click();
    await page.locator('.entity-head code.id', { hasText: source }).waitFor();
    await sources.getByText('none points at it').waitFor();
    await page.locator('.cells[data-e]').nth(2).getByRole('button', { name: e, exact: true }).click();
    await page.locator('.entity-head .name', { hasText: 'flagship' }).waitFor();
    await sources.locator('.entity-link').first().click();
    await page.locator('.entity-head code.id', { hasText: source }).waitFor();
    await page.goBack();
    await page.goBack();
    await page.goBack();
    await page.goBack();
    await eventually('the browser goes back to the query before', async () => (await page.locator('#query').inputValue()) === '');
    await close();
});

test('an entity that is gone shows who still points at it', async () => {
    const { page, close } = await open('entities');
    const gone = (await world.ask('edit', { do: 'create' })).e;
    const source = (await world.ask('entities?query=Target&limit=2')).rows[1].e;
    const before = await component(source, 'Target');
    await world.ask('edit', { do: 'set', e: source, type: 'Target', path: 'entity', value: gone });
    await page.evaluate((hash) => { location.hash = hash; }, `#/entity?e=${gone}`);
    await page.getByRole('group', { name: 'Who points at the entity' }).getByRole('button', { name: source }).waitFor();
    await world.ask('edit', { do: 'destroy', e: gone }); // this lookup sets the field to null
    await page.getByText(`Entity ${gone} is not alive`).waitFor();
    await page.getByText('none points at it').waitFor();
    await world.ask('edit', { do: 'set', e: source, type: 'Target', path: 'entity', value: before.value.entity });
    await close();
});

test('lookups are listed with their elements and bytes, and lead to their cells', async () => {
    const { page, close } = await open('storage');
    const table = page.getByRole('table', { name: 'Lookups' });
    const { lookups } = await world.ask('lookups');
    await table.waitFor();
    assert.deepEqual(await table.locator('tbody th').allTextContents(), ['Target.entity', 'Position.x, y', 'Place.x, y, z', 'Health.points']);
    const row = (name) => table.locator('tr', { has: page.getByText(name, { exact: true }) });
    assert.equal(await row('Position.x, y').locator('td').nth(1).textContent(), lookups[1].count.toLocaleString('en-US'));
    await row('Target.entity').getByText('sources').waitFor();
    await row('Health.points').getByText('ranges').waitFor();
    await row('Place.x, y, z').getByRole('button', { name: 'cells of 2.5' }).click();
    await page.getByRole('main', { name: 'Space' }).waitFor();
    assert.equal(await page.getByLabel('z', { exact: true }).inputValue(), 'Place.z');
    await page.locator('[data-number=cells]').waitFor();
    await close();
});

test('the cells of a grid are drawn, counted, and switched off', async () => {
    const { page, close } = await open('space', { allow: [/willReadFrequently/] });
    const choice = page.getByLabel('Cells', { exact: true });
    await page.locator('[data-number=cells]').waitFor();
    assert.equal(await choice.inputValue(), '1', 'the lookup whose places are the axes');
    const cells = await world.ask('cells?lookup=1&limit=2000');
    const shown = Number.parseInt((await page.locator('[data-number=cells]').textContent()).replaceAll(',', ''));
    assert.ok(Math.abs(shown - cells.cells.length) < cells.cells.length / 5, `${shown} cells, not about ${cells.cells.length}`);
    const canvas = page.locator('.field-of-points canvas');
    const box = await canvas.boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.locator('.space-foot', { hasText: /cell -?\d+, -?\d+: [\d,]+ entit/ }).waitFor();
    const green = () =>
        canvas.evaluate((element) => {
            const { data } = element.getContext('2d').getImageData(0, 0, element.width, element.height);
            let found = 0;
            for (let i = 0; i < data.length; i += 4) found += data[i + 3] > 30 && data[i + 1] > data[i] + 40 && data[i + 1] > data[i + 2] + 15;
            return found / (data.length / 4);
        });
    assert.ok((await green()) > 0.1, 'the squares are drawn');
    await choice.selectOption('');
    await page.locator('[data-number=cells]').waitFor({ state: 'detached' });
    await eventually('the squares are gone', async () => (await green()) < 0.01);
    await choice.selectOption('2');
    await eventually('its axes are chosen', async () => (await page.getByLabel('z', { exact: true }).inputValue()) === 'Place.z');
    await page.locator('[data-number=cells]').waitFor();
    await eventually('the cubes are drawn', async () => (await green()) > 0.005);
    await close();
});

test('a value is watched as a curve', async () => {
    const { page, close } = await open('entities', { entity: 'flagship' });
    await page.getByRole('button', { name: 'Watch Position.x' }).click();
    const curve = page.locator('[data-watch$="Position.x"] .sparkline path');
    await eventually('the curve grows', async () => ((await curve.getAttribute('d')) ?? '').split('L').length > 6);
    await page.getByRole('button', { name: 'Stop watching Position.x' }).click();
    await page.locator('.watches').waitFor({ state: 'detached' });
    await close();
});

test('resources are shown and edited', async () => {
    const { page, close } = await open('resources');
    await page.getByLabel('Rules.gravity', { exact: true }).fill('1.625');
    await page.keyboard.press('Enter');
    await note(page, 'Set Rules.gravity');
    assert.equal((await world.ask('resources')).resources.find((held) => held.type === 'Rules').value.gravity, 1.625);
    await close();
});

// ---- 3. Storage ----

test('pools are beside the formulas, with a map and a legend', async () => {
    const { page, close } = await open('storage');
    const row = page.locator('[data-pool=Position]');
    await row.click();
    const pool = (await world.ask('storage')).pools.find((held) => held.type === 'Position');
    assert.equal((await row.locator('td').nth(1).textContent()), pool.count.toLocaleString('en-US'));
    await page.getByRole('table', { name: 'Bytes beside the formulas' }).getByText('bitmask').waitFor();
    await page.getByRole('list', { name: 'Forms of blocks' }).getByText('full').waitFor();
    const canvas = page.getByRole('img', { name: /^Occupancy of Position/ });
    await eventually('the map is drawn', () => painted(canvas));
    const box = await canvas.boundingBox();
    await page.mouse.move(box.x + 20, box.y + 3);
    await page.locator('.tip', { hasText: 'of 64' }).waitFor();
    await close();
});

/** Whether more than one colour is on a canvas. */
const painted = (canvas) =>
    canvas.evaluate((element) => {
        const { data } = element.getContext('2d').getImageData(0, 0, element.width, element.height);
        const seen = new Set();
        for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 0) seen.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
        return seen.size >= 1;
    });

test('advice is applied by a button, which says what was saved', async () => {
    const { page, close } = await open('storage');
    const advised = (await world.ask('storage')).pools.find((pool) => pool.do === 'convert' && !pool.internal);
    assert.ok(advised, 'inspect_world has a pool that is better off elsewhere');
    await page.locator(`[data-pool="${advised.type}"]`).click();
    await page.getByRole('button', { name: `Convert to ${advised.best}` }).click();
    await page.locator('.result', { hasText: 'saved' }).waitFor();
    const now = (await world.ask('storage')).pools.find((pool) => pool.type === advised.type);
    assert.equal(now.kind, advised.best);
    assert.ok(now.bytes < advised.bytes);
    await close();
});

test('kinds are listed with how full their blocks are', async () => {
    const { page, close } = await open('storage');
    const { count, rows } = (await world.ask('storage')).kinds;
    assert.deepEqual(rows.map((kind) => kind.types), [['Place'], ['Position', 'Target']]);
    const panel = page.getByRole('region', { name: 'Kinds' });
    await panel.getByText(`${count} kinds`).waitFor();
    const row = panel.getByRole('row', { name: /^Position, Target/ });
    assert.equal(await row.locator('td').nth(0).textContent(), String(rows[1].entities));
    assert.equal(await row.locator('td').nth(1).textContent(), String(rows[1].blocks));
    await row.getByRole('img', { name: `${Math.round(rows[1].full * 100)} % full` }).waitFor();
    await close();
});

// ---- 4. Systems ----

test('the plan is a graph that says who waits for whom, and why', async () => {
    const { page, close } = await open('systems');
    const plan = await world.ask('plan');
    await page.locator('.graph .system').first().waitFor();
    assert.equal(await page.locator('.graph .system').count(), plan.systems.length);
    assert.ok((await page.locator('.graph .edge').count()) > 0);
    const fill = await page.locator('.graph .system > rect').first().evaluate((rect) => getComputedStyle(rect).fill);
    const raised = await page.locator('.view').evaluate((view) => getComputedStyle(view).getPropertyValue('--raised'));
    assert.equal(fill, `rgb(${raised.match(/[\da-f]{2}/gi).map((part) => Number.parseInt(part, 16)).join(', ')})`);
    await page.locator('.graph .system', { hasText: 'wrap' }).hover();
    await page.locator('.caption', { hasText: 'waits for move' }).waitFor();
    await close();
});

test('what a system says that it moved is in its row', async () => {
    const { page, close } = await open('systems');
    await page.locator('[data-system="weather"] td', { hasText: '1.20 KB' }).waitFor();
    assert.equal(await page.locator('[data-system="move"] td').last().textContent(), '–');
    await close();
});

test('the timeline is drawn, held and zoomed', async () => {
    const { page, close } = await open('systems');
    const canvas = page.getByRole('img', { name: /^Timeline of 2 threads/ });
    await canvas.waitFor();
    await eventually('pieces are drawn', () => painted(canvas));
    await eventually('the overview is drawn', () => painted(page.getByRole('img', { name: /^Overview of the last/ })));
    await canvas.hover();
    await page.mouse.wheel(0, -400);
    await page.getByRole('button', { name: 'Live' }).click();
    await page.getByRole('button', { name: 'Hold' }).waitFor();
    await close();
});

test('a system is switched off and on', async () => {
    const { page, close } = await open('systems');
    const isOn = async () => (await world.ask('systems')).systems.find((system) => system.name === 'weather').on;
    await page.getByRole('switch', { name: 'Switch off weather' }).click({ force: true });
    await page.getByRole('switch', { name: 'Switch on weather' }).waitFor();
    assert.equal(await isOn(), false);
    await page.getByRole('switch', { name: 'Switch on weather' }).click({ force: true });
    await page.getByRole('switch', { name: 'Switch off weather' }).waitFor();
    assert.equal(await isOn(), true);
    await close();
});

test('the program is paused, stepped, sped up and goes on', async () => {
    const { page, close } = await open('systems');
    await page.keyboard.press('p');
    await page.getByRole('button', { name: 'Go on (P)' }).waitFor();
    const { frame } = await world.ask('world');
    await page.waitForTimeout(200);
    assert.equal((await world.ask('world')).frame, frame);
    await page.keyboard.press('.');
    await eventually('one frame', async () => (await world.ask('world')).frame === frame + 1);
    await page.getByLabel('Speed').selectOption('4');
    await page.getByRole('button', { name: 'Go on (P)' }).click();
    await eventually('it runs', async () => (await world.ask('world')).frame > frame + 20);
    await page.getByLabel('Speed').selectOption('1');
    await eventually('the speed is 1', async () => (await world.ask('world')).speed === 1);
    await close();
});

// ---- 5. Space ----

test('entities are in space: drawn, moved, zoomed and picked; also in three dimensions', async () => {
    const { page, close } = await open('space');
    const canvas = page.getByRole('img', { name: /(entity|entities) in space$/ });
    await eventually('points are drawn', () => painted(canvas));
    await page.locator('.query-box input').fill('Target');
    await page.keyboard.press('Escape');
    await page.getByLabel('x', { exact: true }).selectOption('Target.distance');
    await page.locator('.query-box input').fill('name == "flagship"');
    await page.keyboard.press('Escape');
    await page.getByLabel('x', { exact: true }).selectOption('Position.x');
    await page.locator('[data-number=points]', { hasText: '1 entity' }).waitFor();
    await world.ask('run', { paused: true });
    await page.waitForTimeout(300);
    await page.getByRole('button', { name: 'Show all' }).click();
    const box = await canvas.boundingBox();
    await page.waitForTimeout(200);
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await page.locator('.entity-head .name', { hasText: 'flagship' }).waitFor();
    await world.ask('run', { paused: false });
    await page.locator('.query-box input').fill('');
    await page.getByLabel('x', { exact: true }).selectOption('Place.x');
    await page.getByLabel('y', { exact: true }).selectOption('Place.y');
    await page.getByLabel('z', { exact: true }).selectOption('Place.z');
    await page.getByLabel('Colour', { exact: true }).selectOption('Place.z');
    await page.locator('.space-foot', { hasText: 'drag: turn' }).waitFor();
    await page.locator('.ramp').waitFor();
    await eventually('points are drawn', () => painted(canvas));
    await canvas.focus();
    for (const key of ['ArrowLeft', '+', '-', '0']) await page.keyboard.press(key);
    await close();
});

// ---- 6. Time ----

test('past states are looked at, compared, and gone back to', async () => {
    const { page, close } = await open('time', { allow: refused });
    await eventually('there are snapshots', async () => (await world.ask('time')).snapshots.length >= 4);
    await world.ask('run', { paused: true });
    const slider = page.getByLabel('Past state', { exact: true });
    await slider.waitFor();
    await page.waitForTimeout(400);
    const newest = (await world.ask('time')).snapshots[0];
    await slider.focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await eventually('an older state is shown', async () => (await page.locator('[data-number=tick]').textContent()) !== `tick ${newest.tick.toLocaleString('en-US')}`);
    await page.locator('.past .cells .who').first().waitFor();
    await page.getByLabel('Compare with').selectOption(String(newest.number));
    await page.getByRole('table', { name: 'Differences by type' }).getByText('Position').waitFor();
    await page.getByLabel('Compare with').selectOption('');
    const shown = Number((await page.locator('[data-number=tick]').textContent()).replace(/\D/g, ''));
    await page.getByRole('button', { name: 'Go back to it' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Go back' }).click();
    await note(page, 'Went back');
    assert.equal((await world.ask('world')).tick, shown);
    await world.ask('run', { paused: false });
    await close();
});

// ---- 7. Events ----

test('counts and times are a graph over minutes', async () => {
    const { page, close } = await open('events');
    const graph = page.getByRole('img', { name: /^entities over the last half hour/ });
    await graph.waitFor();
    await eventually('a line is drawn', () => painted(graph));
    const number = page.locator('[data-number=graph]');
    assert.equal(await number.textContent(), (await world.ask('world')).entities.toLocaleString('en-US'));
    await page.getByLabel('Shown in the graph').selectOption('Position');
    await page.getByRole('img', { name: /^Position over the last half hour/ }).waitFor();
    const { count } = (await world.ask('types')).types.find((type) => type.name === 'Position');
    await eventually('the count', async () => (await number.textContent()) === count.toLocaleString('en-US'));
    await page.getByLabel('Shown in the graph').selectOption('frame time');
    await eventually('a time', async () => /^[\d.]+ (µs|ms)$/.test(await number.textContent()));
    await page.getByRole('img', { name: /^frame time over/ }).hover();
    await eventually('the value at the pointer', async () => / ago$/.test(await number.textContent()));
    await close();
});

test('events have rates by type, and failed calls are listed', async () => {
    const { page, close } = await open('events');
    await page.locator('[data-type=Frozen]').waitFor();
    await page.getByRole('log').getByText(/stale|never issued/).first().waitFor();
    await page.getByLabel('Filter the log').fill('no line has this');
    await page.getByText('No line matches').waitFor();
    await close();
});

// ---- A read-only world, and one without schedule and history ----

test('a page that may not write offers nothing that would', async () => {
    const other = await startWorld('--read-only', '--bare');
    const { page, close } = await openPage(browser, other.address);
    await page.locator('.badge', { hasText: 'read-only' }).waitFor();
    const e = await other.named('flagship');
    await page.evaluate((hash) => { location.hash = hash; }, `#/entities?e=${e}`);
    await page.locator('[data-type=Position]').waitFor();
    assert.equal(await page.locator('.entity-panel input[type=text], .entity-panel .button[aria-label^=Remove], .add-component').count(), 0);
    assert.equal(await page.getByRole('button', { name: 'Create' }).count(), 0);
    await page.keyboard.press('4');
    await page.getByText('There is no schedule to look at').waitFor();
    await page.keyboard.press('6');
    await page.getByText('There is no history to look at').waitFor();
    await close();
    await other.end();
});

test('a program that ends and is started again is found, and asks for its new address', async () => {
    const first = await startWorld();
    const { page, close } = await openPage(browser, first.address, { allow: [/Failed to load resource/, /ERR_/] });
    await page.waitForSelector('.cells .who');
    await first.end();
    await page.getByText('Disconnected.').waitFor();
    const second = await startWorld('--port', String(first.port));
    await page.getByRole('heading', { name: 'This page has no key to the program' }).waitFor({ timeout: 15_000 });
    await second.end();
    await close();
});
