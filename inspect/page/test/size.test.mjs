// The cost of the page: bytes, loading, frames while a million rows scroll, and memory. Times are printed; a time that a
// user would notice fails a test (COVEY_STRICT=1 asserts the limits of docs/inspect.md as well).

import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { eventually, launch, openPage, startWorld } from './browser.mjs';

const strict = process.env.COVEY_STRICT === '1';
const entities = 1_000_000;
let browser;
let world;

before(async () => {
    browser = await launch();
    world = await startWorld('--entities', String(entities), '--bare');
});
after(async () => {
    await browser?.close();
    await world?.end();
});

function report(what, value, bar) {
    console.log(`# ${what}: ${value}${bar ? ` (bar: ${bar})` : ''}`);
}

test('the page is smaller than 200 KB', () => {
    const dist = join(dirname(fileURLToPath(import.meta.url)), '../dist');
    const bytes = readdirSync(dist).filter((name) => /\.(html|js|css)$/.test(name)).reduce((sum, name) => sum + statSync(join(dist, name)).size, 0);
    report('bytes of the page', bytes, '200,000');
    assert.ok(bytes < 200_000);
});

test('the page loads', async () => {
    const times = [];
    for (let i = 0; i < 5; i++) {
        const { page, close } = await openPage(browser, world.address);
        await page.waitForSelector('.cells .who');
        const time = await page.evaluate(() => ({
            loaded: performance.getEntriesByType('navigation')[0].loadEventEnd,
            shown: performance.getEntriesByType('paint').find((entry) => entry.name === 'first-contentful-paint')?.startTime ?? NaN,
        }));
        times.push(time);
        await close();
    }
    const median = (key) => times.map((time) => time[key]).sort((a, b) => a - b)[2];
    report('page load, median of 5, ms', `${median('loaded').toFixed(0)}; first paint ${median('shown').toFixed(0)}`, '300');
    if (strict) assert.ok(median('loaded') < 300);
});

test('a million rows scroll to their end, smoothly', async () => {
    const { page, close } = await openPage(browser, world.address);
    await page.waitForSelector('.cells .who');
    await eventually('all are counted', async () => Number((await page.locator('[data-number=matches]').textContent()).replaceAll(',', '')) >= entities, 20_000);
    const grid = page.getByRole('grid', { name: 'Entities that match' });
    await grid.evaluate((element) => { element.scrollTop = element.scrollHeight; });
    const last = (await world.ask(`entities?offset=${entities - 1}&limit=1`)).rows[0].e;
    await page.locator('.cells[data-e]', { hasText: last }).waitFor();
    await grid.focus();
    await page.keyboard.press('Home');
    await page.locator('.cells[data-e]', { hasText: '0:1' }).first().waitFor();
    await grid.hover();
    await page.mouse.wheel(0, 240);
    await eventually('the wheel moves by rows', async () => (await page.locator('.grid .vrow').first().getAttribute('aria-rowindex')) === '11');
    assert.ok((await page.locator('.vrow').count()) < 60, 'only rows that are seen exist');
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Performance.enable');
    const work = async () => (await devtools.send('Performance.getMetrics')).metrics.find((metric) => metric.name === 'TaskDuration').value * 1000;
    const before = await work();
    const frames = await grid.evaluate(async (element) => {
        const lengths = [];
        const height = element.scrollHeight;
        let last = performance.now();
        for (let i = 0; i < 180; i++) {
            element.scrollTop = (i * height) / 180 + i;
            const now = await new Promise((resolve) => requestAnimationFrame(resolve));
            lengths.push(now - last);
            last = now;
        }
        return lengths.slice(5).sort((a, b) => a - b);
    });
    const each = (await work()) - before;
    const at = (part) => frames[Math.floor(frames.length * part)].toFixed(1);
    report('frames while a million rows scroll, ms', `median ${at(0.5)}, 95 % ${at(0.95)}, worst ${at(0.999)}; work of the page ${(each / 180).toFixed(1)} a frame`);
    await eventually('rows are there when it stops', async () => (await page.locator('.cells.pending').count()) === 0);
    if (strict) assert.ok(Number(at(0.5)) < 20);
    await close();
});

test('memory stays small', async () => {
    const seconds = Number(process.env.COVEY_SECONDS ?? 20);
    const { page, close } = await openPage(browser, world.address);
    await page.waitForSelector('.cells .who');
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('HeapProfiler.enable');
    const measure = async () => {
        await devtools.send('HeapProfiler.collectGarbage');
        return (await page.evaluate(() => performance.memory.usedJSHeapSize)) / 1e6;
    };
    await page.locator('.cells').nth(4).click();
    await page.locator('button[aria-label^="Watch"]').first().click();
    const first = await measure();
    const end = Date.now() + seconds * 1000;
    let last = first;
    for (let turn = 0; Date.now() < end; turn++) {
        for (const key of ['1', '3', '5', '7']) {
            await page.keyboard.press(key);
            await page.waitForTimeout(Math.min(1000, (seconds * 1000) / 8));
        }
        last = await measure();
    }
    report(`heap of the page, MB, at first and after ${seconds} seconds`, `${first.toFixed(1)}, ${last.toFixed(1)}`, '150 after 600 seconds');
    assert.ok(last < 150);
    assert.ok(last < first + 20, 'it does not grow');
    await close();
});
