// Tests the site in a browser: test/documents.sh browser SOURCE_DIR SITE_DIR.
//
//     node site.mjs SOURCE_DIR SITE_DIR
//
// Exits with 77 where chromium, or the playwright-core of the inspector's page, is missing.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [source, site] = process.argv.slice(2);
const packages = join(source, 'inspect/page/node_modules/playwright-core');

function findBrowser() {
    const names = [process.env.COVEY_BROWSER, 'chromium', 'chromium-browser', 'google-chrome'].filter(Boolean);
    for (const name of names) {
        try {
            return execFileSync('/bin/sh', ['-c', 'command -v "$1"', 'sh', name], { encoding: 'utf8' }).trim();
        } catch {
            // Not found: tries the next name.
        }
    }
    return null;
}

const browserPath = findBrowser();
if (!browserPath || !existsSync(packages)) {
    console.log('skipped: needs chromium and playwright-core, which make check-inspect installs');
    process.exit(77);
}

const { chromium } = createRequire(import.meta.url)(packages);
const isRoot = process.getuid?.() === 0;
const browser = await chromium.launch({ executablePath: browserPath, args: isRoot ? ['--no-sandbox'] : [] });

/** Opens a page of the site. An error of a script fails the test. */
async function open(name, { width = 1280, colorScheme = 'light', javaScriptEnabled = true } = {}) {
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, javaScriptEnabled });
    const page = await context.newPage();
    page.on('pageerror', (error) => {
        throw error;
    });
    await page.goto(`file://${join(site, name)}`);
    return page;
}

const background = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

/** The brightness of a pixel near the corner of a picture, from 0 to 255. */
async function brightness(page) {
    const picture = page.locator('img[src*="block-"]:visible');
    await picture.scrollIntoViewIfNeeded();
    const bytes = (await picture.screenshot({ type: 'png' })).toString('base64');
    return page.evaluate(async (data) => {
        const image = new Image();
        image.src = `data:image/png;base64,${data}`;
        await image.decode();
        const canvas = document.createElement('canvas').getContext('2d');
        canvas.drawImage(image, 0, 0);
        return canvas.getImageData(image.width / 2, 4, 1, 1).data[1];
    }, bytes);
}

/** The button changes the colours by mouse, by keyboard and by script; the choice holds on other pages, and in pictures. */
async function testTheme(colorScheme) {
    const page = await open('overview.html', { colorScheme });
    const button = page.locator('#site-theme-button');
    const pressed = () => button.getAttribute('aria-pressed');
    const first = await background(page);
    assert.equal(await pressed(), String(colorScheme === 'dark'));
    const ways = [
        () => button.click(),
        () => button.press('Enter'),
        () => button.press(' '),
        () => page.evaluate(() => document.getElementById('site-theme-button').click()),
        () => button.dispatchEvent('click'),
    ];
    for (const [number, change] of ways.entries()) {
        await change();
        const changed = number % 2 === 0;
        assert.equal((await background(page)) !== first, changed, `way ${number} does not change the colours`);
        assert.equal(await pressed(), String((colorScheme === 'dark') !== changed));
    }
    assert.equal((await brightness(page)) > 128, colorScheme === 'dark', 'the picture follows the page');
    await page.goto(`file://${join(site, 'choosing.html')}`);
    assert.notEqual(await background(page), first, 'the next page remembers the choice');
    await button.click();
    await page.emulateMedia({ colorScheme: colorScheme === 'dark' ? 'light' : 'dark' });
    assert.notEqual(await background(page), first, 'a page without a choice follows the system');
    await page.context().close();
}

/** C, until C++ is chosen; the choice holds on other pages. Without scripts, both. */
async function testLanguages() {
    const page = await open('relations.html');
    const seen = async () => [await page.locator('.in-c').last().isVisible(), await page.locator('.in-cpp').last().isVisible()];
    const button = (name) => page.locator('.languages').last().getByRole('button', { name, exact: true });
    assert.deepEqual(await seen(), [true, false], 'C first');
    await button('C++').scrollIntoViewIfNeeded();
    const place = (await button('C++').boundingBox()).y;
    await button('C++').click();
    assert.deepEqual(await seen(), [false, true]);
    assert.ok(Math.abs((await button('C++').boundingBox()).y - place) < 2, 'what was clicked stays where it is');
    assert.equal(await button('C++').getAttribute('aria-pressed'), 'true');
    assert.equal(await button('C').getAttribute('aria-pressed'), 'false');
    await page.goto(`file://${join(site, 'rollback.html')}`);
    assert.deepEqual(await seen(), [false, true], 'the next page remembers the choice');
    await button('C').press('Enter');
    assert.deepEqual(await seen(), [true, false]);
    await page.context().close();
    const plain = await open('rollback.html', { javaScriptEnabled: false });
    assert.ok(await plain.locator('.in-c').isVisible() && await plain.locator('.in-cpp').isVisible());
    assert.equal(await plain.locator('.languages').count(), 0);
    await plain.context().close();
}

async function testSearch() {
    const page = await open('index.html');
    const firstOf = async (text) => {
        await page.fill('#site-search', text);
        await page.waitForFunction(() => window.coveyIndex && !document.getElementById('site-results').hidden);
        return page.locator('#site-results a').first().getAttribute('href');
    };
    const expected = {
        determinism: 'threads.html#what-is-deterministic-and-why',
        spatial: 'relations.html#places',
        'delta time': 'threads.html#sync-points',
        'How do I delete an entity?': 'guarantees.html#entities',
        covey_create: 'api/covey.h.html#covey_create',
        'covey::world_ref': 'api/world.hpp.html#covey::world_ref',
        'covey::entity_ref': 'api/world.hpp.html#covey::entity_ref',
        covey_mpi_migrate: 'api/mpi.h.html#covey_mpi_migrate',
        covey_inspect_open: 'api/inspect.h.html#covey_inspect_open',
    };
    for (const [text, address] of Object.entries(expected)) assert.equal(await firstOf(text), address, text);
    await page.press('#site-search', 'Enter');
    await page.waitForURL(/inspect\.h\.html/);
    await page.context().close();
}

/** No page is wider than a small screen, and all pictures load. */
async function testWidths() {
    const page = await open('index.html', { width: 390 });
    const names = readdirSync(site, { recursive: true }).filter((name) => name.endsWith('.html'));
    assert.ok(names.length > 100);
    for (const name of names) {
        await page.goto(`file://${join(site, name)}`);
        const found = await page.evaluate(() => ({
            wide: document.documentElement.scrollWidth > document.documentElement.clientWidth,
            broken: [...document.images].filter((image) => image.complete && image.naturalWidth === 0).map((image) => image.src),
        }));
        assert.deepEqual(found, { wide: false, broken: [] }, name);
    }
    await page.context().close();
}

try {
    await testTheme('light');
    await testTheme('dark');
    await testLanguages();
    await testSearch();
    await testWidths();
} finally {
    await browser.close();
}
