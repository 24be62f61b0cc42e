// States that are rare in a real program, and rules for all views, with the mock of the server.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { contrast, eventually, isDarkerThan, launch, openPage, views } from './browser.mjs';
import { startMock } from './mock.mjs';

let browser;
let mock;

before(async () => {
    browser = await launch();
    mock = await startMock({ entities: 5000 });
});
after(async () => {
    await browser?.close();
    mock?.close();
});

const failedRequests = [/Failed to load resource/, /ERR_/];

test('the token leaves the address, and a reload works without it', async () => {
    const { page, close } = await openPage(browser, mock.address);
    await page.waitForSelector('.cells .who');
    assert.doesNotMatch(page.url(), /token/);
    await page.reload();
    await page.waitForSelector('.cells .who');
    await close();
});

test('without the token, the page says where it comes from', async () => {
    const { page, close } = await openPage(browser, `${mock.origin}/`, { allow: failedRequests });
    await page.getByRole('heading', { name: 'This page has no key to the program' }).waitFor();
    await close();
});

test('a lost connection is shown, is tried again with growing pauses, and comes back by itself', async () => {
    const { page, close } = await openPage(browser, mock.address, { allow: failedRequests });
    await page.waitForSelector('.cells .who');
    let tries = [];
    page.on('request', (request) => request.url().includes('/api/') && tries.push(Date.now()));
    mock.behave('down');
    await page.getByRole('alert').getByText('Disconnected.').waitFor();
    assert.ok(await page.locator('.cells .who').count(), 'the last that is known stays');
    tries = [];
    await page.waitForTimeout(4500);
    assert.ok(tries.length >= 2 && tries.length <= 4, `${tries.length} requests in 4.5 seconds`);
    mock.behave('fine');
    await page.getByRole('button', { name: 'Try now' }).click();
    await page.getByRole('status', { name: 'Connection: connected' }).waitFor();
    const frame = await page.locator('[data-number=frame]').textContent();
    await eventually('frames go on', async () => (await page.locator('[data-number=frame]').textContent()) !== frame);
    mock.behave('down');
    await page.getByRole('alert').getByText('Disconnected.').waitFor();
    mock.behave('fine');
    await page.getByRole('alert').getByText('Disconnected.').waitFor({ state: 'detached' });
    await close();
});

test('a program that does not answer is waited for, and the page says so', async () => {
    const { page, close } = await openPage(browser, mock.address, { allow: failedRequests });
    await page.waitForSelector('.cells .who');
    mock.behave('slow');
    await eventually('it says that it waits', async () => /waiting/.test(await page.locator('.connection').getAttribute('aria-label')));
    mock.behave('fine');
    await close();
});

test('a server that is asked too often is asked less', async () => {
    const { page, close } = await openPage(browser, mock.address, { allow: failedRequests });
    await page.waitForSelector('.cells .who');
    mock.behave('limited');
    await page.waitForTimeout(500);
    let requests = 0;
    page.on('request', () => requests++);
    await page.waitForTimeout(2000);
    mock.behave('fine');
    assert.ok(requests <= 14, `${requests} requests in 2 seconds`);
    await close();
});

test('no view asks an endpoint more than 10 times a second, nor twice at a time, nor when it is not shown', async () => {
    const { page, close } = await openPage(browser, mock.address);
    await page.waitForSelector('.cells .who');
    await page.locator('.cells').nth(3).click();
    const open = new Map();
    const asked = new Map();
    const twice = new Set();
    const pathOf = (request) => new URL(request.url()).pathname;
    page.on('request', (request) => {
        open.set(pathOf(request), (open.get(pathOf(request)) ?? 0) + 1);
        asked.set(pathOf(request), (asked.get(pathOf(request)) ?? 0) + 1);
        if (open.get(pathOf(request)) > 1) twice.add(pathOf(request));
    });
    page.on('requestfinished', (request) => open.set(pathOf(request), open.get(pathOf(request)) - 1));
    for (const [number, view] of views.entries()) {
        await page.keyboard.press(String(number + 1));
        await page.waitForTimeout(400);
        asked.clear();
        const begin = performance.now();
        await page.waitForTimeout(1500);
        const seconds = (performance.now() - begin) / 1000; // more on a busy machine
        for (const [path, times] of asked) assert.ok(times <= 10 * seconds + 1, `${view}: ${path} was asked ${times} times in ${seconds} seconds`);
        if (view !== 'Entities') assert.ok(!asked.has('/api/v1/tree'), `${view} asks for the tree`);
        if (view !== 'Storage') assert.ok(!asked.has('/api/v1/map'), `${view} asks for the map`);
    }
    assert.deepEqual([...twice], [], 'two requests at a time');
    await close();
});

test('an endpoint is asked again when its answer was read, not when it began', async () => {
    const { page, close } = await openPage(browser, mock.address);
    await page.waitForSelector('.cells .who');
    await page.locator('.cells').nth(3).click();
    await page.locator('.entity-head').waitFor();
    await page.waitForTimeout(300);
    mock.behave('trickle');
    mock.overlaps.clear();
    for (const key of ['2', '1']) {
        await page.waitForTimeout(700);
        await page.keyboard.press(key); // another part of the page asks for the entity
    }
    await page.waitForTimeout(700);
    const overlaps = [...mock.overlaps];
    mock.behave('fine');
    await close();
    assert.deepEqual(overlaps, []);
});

test('many kinds, and names of any length: the table says how many are not listed', async () => {
    const { page, close } = await openPage(browser, mock.address);
    await page.waitForSelector('.cells .who');
    await page.keyboard.press('3');
    const panel = page.getByRole('region', { name: 'Kinds' });
    await panel.getByText('2,345 kinds · the 100 with most entities are listed').waitFor();
    assert.equal(await panel.locator('tbody tr').count(), 100);
    assert.equal(await panel.locator('b').count(), 0);
    const over = await panel.locator('.scroll').evaluate((element) => element.scrollWidth - element.clientWidth);
    assert.ok(over <= 0, `${over} pixels too wide`);
    await close();
});

test('a world without kinds says how they come about', async () => {
    const { page, close } = await openPage(browser, mock.address);
    await page.route('**/api/v1/storage', async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: { ...(await response.json()), kinds: { count: 0, offset: 0, rows: [] } } });
    });
    await page.waitForSelector('.cells .who');
    await page.keyboard.press('3');
    await page.getByRole('region', { name: 'Kinds' }).getByText('No kinds yet').waitFor();
    await close();
});

test('names are text, never HTML', async () => {
    const { page, close } = await openPage(browser, mock.address);
    await page.locator('.cells .name', { hasText: '<b>bold</b>' }).waitFor();
    assert.equal(await page.locator('.cells b').count(), 0);
    await close();
});

test('dark and light follow the system, until the user chooses; text is readable in both', async () => {
    for (const theme of ['dark', 'light']) {
        const { page, close } = await openPage(browser, mock.address, { theme });
        await page.waitForSelector('.cells .who');
        const colours = () => page.evaluate(() => {
            const style = (selector) => getComputedStyle(document.querySelector(selector));
            return { back: style('body').backgroundColor, panel: style('.top-bar').backgroundColor, text: style('body').color, dim: style('.navigation a:not([aria-current])').color };
        });
        const first = await colours();
        assert.equal(isDarkerThan(first.back, first.text), theme === 'dark');
        for (const back of [first.back, first.panel]) {
            assert.ok(contrast(first.text, back) >= 7, `${theme} text ${contrast(first.text, back)}`);
            assert.ok(contrast(first.dim, back) >= 4.5, `${theme} dim ${contrast(first.dim, back)}`);
        }
        await page.keyboard.press('t');
        const second = await colours();
        assert.notEqual(isDarkerThan(second.back, second.text), theme === 'dark');
        await close();
    }
});

test('every view fits into 1280 x 720, and into half its width and height: nothing is cut off sideways', async () => {
    for (const scale of [1, 2]) {
        const { page, close } = await openPage(browser, mock.address, { scale });
        await page.waitForSelector('.cells .who');
        for (const [number, view] of views.entries()) {
            await page.keyboard.press(String(number + 1));
            await page.getByRole('main', { name: view, exact: true }).waitFor();
            await page.waitForTimeout(300);
            const over = await page.evaluate(() => [document.documentElement, document.querySelector('main')].map((element) => element.scrollWidth - element.clientWidth));
            assert.ok(Math.max(...over) <= 0, `${view} at ${scale * 100} %: ${over} pixels too wide`);
        }
        await close();
    }
});

test('the keyboard reaches everything: shortcuts, list of them, tables, focus that can be seen', async () => {
    const { page, close } = await openPage(browser, mock.address);
    await page.waitForSelector('.cells .who');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    await eventually('the query has the focus', () => page.evaluate(() => document.activeElement.id === 'query'));
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.getByRole('grid').focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'PageDown']) await page.keyboard.press(key);
    await page.keyboard.press('End');
    await page.locator('.cells.selected code', { hasText: '4999:1' }).waitFor();
    const outline = await page.getByRole('grid').evaluate((element) => getComputedStyle(element).outlineStyle);
    assert.equal(outline, 'solid');
    const reached = new Set();
    for (let i = 0; i < 40; i++) {
        await page.keyboard.press('Tab');
        reached.add(await page.evaluate(() => document.activeElement.tagName + (document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent)));
    }
    assert.ok(reached.size >= 20, `${reached.size} things are reached by Tab`);
    await close();
});

test('shortcuts of one character can be switched off, and stay off', async () => {
    const { page, close } = await openPage(browser, mock.address);
    const isShown = (view) => page.getByRole('main', { name: view, exact: true }).waitFor();
    await page.locator('.cells').nth(3).click();
    await page.keyboard.press('3');
    await isShown('Storage');
    await page.keyboard.press('?');
    await page.getByLabel('Shortcuts of one character').uncheck();
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    const theme = await page.evaluate(() => document.documentElement.dataset.theme);
    for (const key of ['1', 't', 'p', 'a', '/', '?']) await page.keyboard.press(key);
    await page.reload();
    await isShown('Storage');
    for (const key of ['1', 't', 'p', 'a', '/', '?']) await page.keyboard.press(key);
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), theme);
    assert.equal(await page.getByRole('dialog').count(), 0);
    await page.getByRole('button', { name: 'Pause (P)' }).waitFor();
    await isShown('Storage');
    await page.getByRole('link', { name: /^Entities/ }).click();
    await page.locator('.entity-head').waitFor();
    await page.keyboard.press('F2'); // is not a character
    await page.getByLabel('Name', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Keyboard shortcuts (?)' }).click();
    await page.getByLabel('Shortcuts of one character').check();
    await page.keyboard.press('Escape');
    await page.keyboard.press('3');
    await isShown('Storage');
    await close();
});

test('the title of the document is the name of the world and the view', async () => {
    const { page, close } = await openPage(browser, mock.address);
    await eventually('the name', async () => (await page.title()) === 'A made-up world: Entities');
    await page.keyboard.press('4');
    await eventually('the view', async () => (await page.title()) === 'A made-up world: Systems');
    await close();
});

test('the timeline begins with the newest frame; keys, buttons and the overview show others', async () => {
    const { page, close } = await openPage(browser, mock.address);
    await page.waitForSelector('.cells .who');
    await page.keyboard.press('4');
    const says = (text) => page.locator('.timeline-actions', { hasText: text }).waitFor();
    await says('Frame 12 of 12, 5.20 ms'); // a frame takes 5 ms
    await page.getByRole('button', { name: 'Hold' }).waitFor();
    const lanes = page.getByRole('img', { name: /^Timeline of 2 threads/ });
    await lanes.focus();
    await page.keyboard.press('PageUp');
    await says('Frame 11 of 12, 5.20 ms');
    await page.getByRole('button', { name: 'Live' }).waitFor();
    await page.keyboard.press('+');
    await says('Frame 11 of 12, 3.64 ms');
    await page.keyboard.press('-');
    await says('Frame 11 of 12, 5.20 ms');
    await page.keyboard.press('0');
    await says('181 ms');
    await page.keyboard.press('ArrowLeft');
    await says('181 ms');
    await page.getByRole('button', { name: 'Live' }).click();
    await says('Frame 12 of 12, 5.20 ms');
    await page.getByRole('button', { name: 'Previous frame' }).click();
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await says('Frame 11 of 12, 3.64 ms');
    const overview = page.getByRole('img', { name: 'Overview of the last 12 frames' });
    const { width } = await overview.boundingBox();
    await overview.click({ position: { x: 64 + ((width - 64) * 34) / 181, y: 10 } }); // the third frame, at 32 ms
    await says('Frame 3 of 12, 3.64 ms');
    await close();
});

test('the tree keeps what was open: in other views, after a reload, and while the connection is lost', async () => {
    const { page, close } = await openPage(browser, mock.address, { allow: failedRequests });
    const child = page.getByRole('tree').locator('[data-e="21:1"]');
    await page.getByRole('tree').locator('[data-e="1:1"]').getByRole('button', { name: 'Open' }).click();
    await child.waitFor();
    await page.keyboard.press('3');
    await page.getByRole('main', { name: 'Storage' }).waitFor();
    await page.keyboard.press('1');
    await child.waitFor();
    await page.reload();
    await child.waitFor();
    mock.behave('down');
    await page.getByRole('alert').getByText('Disconnected.').waitFor();
    assert.equal(await child.count(), 1);
    mock.behave('fine');
    await page.getByRole('alert').getByText('Disconnected.').waitFor({ state: 'detached' });
    await child.waitFor();
    await page.getByRole('tree').locator('[data-e="1:1"]').getByRole('button', { name: 'Close' }).click();
    await child.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('tree').locator('[data-e="1:1"]').waitFor();
    assert.equal(await child.count(), 0);
    await close();
});

test('advice is orange only where it saves enough', async () => {
    const { page, close } = await openPage(browser, mock.address);
    const held = { kind: 'block', policy: 'swap and pop', count: 10, linear: 1, bitmask: 1, sparse: 1, holes: 1, spans: 1, ids: 64, group: false, best: 'block', do: 'compact' };
    const pools = [['Much', 20_000, 10_000], ['Little', 20_000, 19_500], ['None', 9000, 9000]].map(([type, size, best]) => ({ ...held, type, bytes: size, best_bytes: best }));
    await page.route('**/api/v1/storage', (route) => route.fulfill({ json: { pools, kinds: { count: 0, offset: 0, rows: [] } } }));
    await page.waitForSelector('.cells .who');
    await page.keyboard.press('3');
    const cell = (type) => page.locator(`[data-pool=${type}] td`).last().locator('span');
    await cell('Much').waitFor();
    assert.deepEqual(await Promise.all(['Much', 'Little', 'None'].map((type) => cell(type).textContent())), ['compact: saves 10.0 KB', 'compact: saves 500 B', 'as it should be']);
    assert.deepEqual(await Promise.all(['Much', 'Little', 'None'].map((type) => cell(type).getAttribute('class'))), ['advised', 'dim', 'dim']);
    await page.getByText('3 pools · 49.0 KB · 3 holes · 10.0 KB could be saved').waitFor();
    await close();
});

test('one of something is called one', async () => {
    const { page, close } = await openPage(browser, mock.address);
    await page.route('**/api/v1/events', (route) => route.fulfill({ json: { seconds: [{ at: 0, types: [{ type: 'Frozen', added: 1, set: 0, removed: 0 }] }] } }));
    await page.route('**/api/v1/entity?*', async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: { ...(await response.json()), children: { count: 1, first: [{ e: '9:1', name: null }] } } });
    });
    await page.locator('.cells').nth(3).click();
    await page.locator('.entity-head').waitFor();
    await page.keyboard.press('Delete');
    await page.getByText('and its child becomes a root').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.keyboard.press('7');
    await page.getByText('the last second', { exact: true }).waitFor();
    await close();
});

/** What scrolls must be reached by the keyboard; what is read as the name of a control must contain what it shows. */
const faultsOfAccess = (page) =>
    page.evaluate(() => {
        const focusable = 'a[href], button:not([disabled]), input:not([disabled]), select:not([disabled]), [tabindex]:not([tabindex="-1"])';
        const scrolls = (element) => /auto|scroll/.test(getComputedStyle(element).overflow) && (element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight);
        const deaf = [...document.querySelectorAll('main, main *')].filter((element) => scrolls(element) && !element.matches(focusable) && !element.querySelector(focusable));
        const words = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
        const misnamed = [...document.querySelectorAll('[role=button][aria-label], button[aria-label], a[aria-label]')].filter((element) => !words(element.getAttribute('aria-label')).includes(words(element.textContent)));
        return [...deaf.map((element) => `scrolls without keyboard: ${element.className}`), ...misnamed.map((element) => `is not called what it shows: ${element.textContent}`)];
    });

test('on a telephone, nothing is cut off that has to be read; the keyboard reaches what scrolls', async () => {
    for (const width of [1280, 390]) {
        const { page, close } = await openPage(browser, mock.address);
        await page.setViewportSize({ width, height: 720 });
        await page.waitForSelector('.cells .who');
        const cut = (selector) => page.locator(selector).first().evaluate((element) => element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 1);
        assert.equal(await cut('.brand h1'), false, 'the name of the world');
        for (const [number, view] of views.entries()) {
            await page.keyboard.press(String(number + 1));
            await page.getByRole('main', { name: view, exact: true }).waitFor();
            await page.waitForTimeout(500);
            assert.deepEqual(await faultsOfAccess(page), [], `${view} at ${width}`);
            for (const header of await page.locator('.panel > header').all()) {
                const [over, text] = await header.evaluate((element) => [element.scrollHeight - element.clientHeight, element.textContent]);
                assert.ok(over <= 1, `${text} at ${width}: ${over} pixels are cut off`);
            }
        }
        await close();
    }
});

test('an empty tree leaves room for the table on a telephone', async () => {
    const { page, close } = await openPage(browser, mock.address);
    await page.route('**/api/v1/tree?*', (route) => route.fulfill({ json: { count: 0, complete: true, rows: [] } }));
    await page.setViewportSize({ width: 390, height: 844 });
    await page.waitForSelector('.cells .who');
    await page.getByText('No names, no parents').waitFor();
    const height = async (selector) => (await page.locator(selector).boundingBox()).height;
    assert.ok((await height('.tree-pane')) < 120, `the tree has ${await height('.tree-pane')} pixels`);
    assert.ok((await height('.table-pane')) > 400, `the table has ${await height('.table-pane')} pixels`);
    await close();
});

test('a refused change says why; the world stays', async () => {
    const { page, close } = await openPage(browser, mock.address, { allow: failedRequests });
    await page.locator('.cells').nth(3).click();
    await page.getByLabel('Position.x', { exact: true }).fill('666');
    await page.keyboard.press('Enter');
    await page.locator('.note.failed', { hasText: 'does not like this number' }).waitFor();
    await close();
});

test('a field that moves holds still while it has the focus: what is typed replaces its value, however late', async () => {
    const { page, close } = await openPage(browser, mock.address);
    await page.locator('.cells').nth(3).click();
    const field = page.getByLabel('Position.x', { exact: true });
    await field.waitFor();
    const moves = await field.inputValue();
    await eventually('the value moves', async () => (await field.inputValue()) !== moves);
    const sent = [];
    page.on('request', (request) => request.method() === 'POST' && sent.push(request.postDataJSON().value));
    await field.focus();
    const held = await field.inputValue();
    await page.waitForTimeout(500); // several answers
    assert.equal(await field.inputValue(), held);
    await page.keyboard.press('Enter');
    await page.keyboard.insertText('12.5');
    await page.waitForTimeout(500);
    await page.keyboard.press('Enter');
    await page.locator('.note', { hasText: 'Set Position.x to 12.5' }).waitFor();
    await field.blur();
    assert.deepEqual(sent, [12.5], 'only what was typed is sent, and once');
    await close();
});

test('Tab and Enter take a completion only of a word that is being typed', async () => {
    const { page, close } = await openPage(browser, mock.address);
    await page.waitForSelector('.cells .who');
    const query = page.locator('#query');
    const option = page.getByRole('option', { name: /^Position/ });
    await page.getByRole('button', { name: 'Hide the hierarchy' }).focus();
    await page.keyboard.press('Tab');
    await option.waitFor();
    await page.keyboard.press('Tab');
    await option.waitFor({ state: 'detached' });
    assert.equal(await query.inputValue(), '');
    await query.focus();
    await option.waitFor();
    await page.keyboard.press('Enter');
    await option.waitFor({ state: 'detached' });
    assert.equal(await query.inputValue(), '');
    await page.keyboard.type('Position, ');
    await option.waitFor();
    await page.keyboard.press('Tab');
    assert.equal(await query.inputValue(), 'Position, ');
    await query.fill('Velo');
    await page.getByRole('option', { name: /^Velocity/, selected: true }).waitFor();
    await page.keyboard.press('Tab');
    await eventually('the word is completed', async () => (await query.inputValue()) === 'Velocity');
    await query.fill('');
    await option.waitFor();
    await page.evaluate(() => {
        const input = document.getElementById('query'); // a fast typist: the list of "Posi" is not there yet
        input.value = 'Posi';
        input.setSelectionRange(4, 4);
        input.dispatchEvent(new InputEvent('input', { bubbles: true }));
    });
    await page.keyboard.press('Tab');
    await eventually('the word is completed', async () => (await query.inputValue()) === 'Position');
    await query.fill('');
    await option.waitFor();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('option', { name: /^Position/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await eventually('the chosen word is taken', async () => (await query.inputValue()) === 'Position');
    await close();
});

test('completions stay when the focus leaves the query for a moment', async () => {
    const { page, close } = await openPage(browser, mock.address);
    await page.waitForSelector('.cells .who');
    const query = page.locator('#query');
    await query.focus();
    const option = page.getByRole('option', { name: /^Position/ });
    await option.waitFor();
    await query.evaluate((input) => {
        input.blur();
        input.focus();
    });
    await option.waitFor();
    await page.waitForTimeout(300);
    assert.ok(await option.isVisible());
    await query.blur();
    await option.waitFor({ state: 'detached' });
    await close();
});

test('who types faster than completions come loses no key', async () => {
    const { page, close } = await openPage(browser, mock.address);
    await page.waitForSelector('.cells .who');
    await page.route('**/api/v1/complete?*', async (route) => {
        await new Promise((resolve) => setTimeout(resolve, 150));
        await route.continue();
    });
    const query = page.locator('#query');
    await query.focus();
    await page.keyboard.type('Posi');
    await page.keyboard.press('Tab');
    await page.keyboard.type(', Velo');
    await page.keyboard.press('Enter');
    await page.keyboard.type(', !Fro');
    await page.keyboard.press('Tab');
    await page.keyboard.type(' ');
    await eventually('all words are completed', async () => (await query.inputValue()) === 'Position, Velocity, !Frozen ');
    await eventually('the address has the query', () => decodeURIComponent(page.url()).includes('q=Position, Velocity, !Frozen'));
    assert.equal(await query.evaluate((input) => input.selectionStart), 28, 'the cursor is behind what was typed last');
    await query.fill('');
    await page.keyboard.type('i');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await eventually('the second word is taken', async () => (await query.inputValue()) !== 'i');
    await query.fill('');
    await page.keyboard.type('Position');
    await page.keyboard.press('Tab'); // nothing to complete: Tab moves the focus
    await eventually('the focus moves', () => page.evaluate(() => document.activeElement.id !== 'query'));
    assert.equal(await query.inputValue(), 'Position');
    await close();
});

test('an error of a query is under its word', async () => {
    const { page, close } = await openPage(browser, mock.address, { allow: failedRequests });
    await page.waitForSelector('.cells .who');
    await page.fill('#query', 'Velocity, Positon');
    await page.locator('#query-error', { hasText: 'did you mean Position?' }).waitFor();
    assert.equal(await page.locator('.query-box mark').textContent(), 'Positon');
    const asked = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.waitForTimeout(1500);
    assert.ok(!asked.includes('/api/v1/entities'), 'a wrong query is not asked again');
    assert.ok(asked.includes('/api/v1/world'), 'other requests go on');
    mock.rename('Frozen', 'Unknown'); // other types: the query may be valid now
    await eventually('it is asked again', () => asked.includes('/api/v1/entities'));
    mock.rename('Unknown', 'Frozen');
    await page.fill('#query', 'Velocity');
    await page.locator('#query-error').waitFor({ state: 'detached' });
    await close();
});
