// Shared by the browser tests: a browser, a program to inspect, and pages that must not report errors.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { chromium } from 'playwright-core';

/** The names of the browser: Debian's first. */
function findBrowser() {
    for (const name of [process.env.COVEY_BROWSER, 'chromium', 'chromium-browser', 'google-chrome'].filter(Boolean)) {
        try {
            return execFileSync('/bin/sh', ['-c', 'command -v "$1"', 'sh', name], { encoding: 'utf8' }).trim();
        } catch {
            // Not found: tries the next name.
        }
    }
    throw new Error('there is no chromium: scripts/setup inspect installs it, or COVEY_BROWSER names one');
}

export function launch() {
    const isRoot = process.getuid?.() === 0;
    return chromium.launch({ executablePath: findBrowser(), args: ['--enable-precise-memory-info', ...(isRoot ? ['--no-sandbox'] : [])] });
}

/** Starts inspect_world, which ends when its standard input is closed: at the latest when the tests end. */
export async function startWorld(...options) {
    const program = process.env.COVEY_WORLD;
    if (!program) throw new Error('COVEY_WORLD names the program inspect_world (make check-inspect)');
    const child = spawn(program, options, { stdio: ['pipe', 'pipe', 'inherit'] });
    const address = await new Promise((resolve, reject) => {
        let text = '';
        child.stdout.on('data', (part) => {
            text += part;
            if (text.includes('\n')) resolve(text.trim());
        });
        child.on('exit', (code) => reject(new Error(`inspect_world ended with ${code}`)));
    });
    const [origin, token] = address.split('/#token=');
    const ask = async (path, body) => {
        const response = await fetch(`${origin}/api/v1/${path}`, {
            method: body === undefined ? 'GET' : 'POST',
            // The server may have closed a connection that was kept open.
            headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', Connection: 'close' },
            ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        const answer = await response.json();
        assert.ok(response.ok, `${path}: ${JSON.stringify(answer)}`);
        return answer;
    };
    const end = () =>
        new Promise((resolve) => {
            child.on('exit', resolve);
            child.stdin.end();
        });
    /** The handle of an entity with this name. */
    const named = async (name) => (await ask(`entities?query=${encodeURIComponent(`name ~ "${name}"`)}&limit=1`)).rows[0].e;
    return { address, port: Number(new URL(origin).port), ask, named, end };
}

/** Opens a page. An error or warning in its console, also of the CSP, fails the test. */
export async function openPage(browser, address, { scale = 1, theme = 'dark', allow = [] } = {}) {
    const viewport = { width: Math.round(1280 / scale), height: Math.round(720 / scale) };
    const context = await browser.newContext({ viewport, deviceScaleFactor: scale, colorScheme: theme });
    const page = await context.newPage();
    page.setDefaultTimeout(8000);
    const complaints = [];
    page.on('pageerror', (error) => complaints.push(error.stack ?? error.message));
    page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type()) && !allow.some((pattern) => pattern.test(message.text()))) complaints.push(message.text());
    });
    page.on('request', (request) => {
        if (!request.url().startsWith('data:') && new URL(request.url()).origin !== new URL(address).origin) complaints.push(`asked another site: ${request.url()}`);
    });
    await page.goto(address);
    const close = async () => {
        await page.unrouteAll({ behavior: 'wait' }); // handlers of requests may still be at work
        await context.close();
        assert.deepEqual(complaints, []);
    };
    return { page, close };
}

/** Waits until a condition is true. */
export async function eventually(what, check, patience = 8000) {
    const end = Date.now() + patience;
    let last;
    while (Date.now() < end) {
        try {
            if (await check()) return;
        } catch (error) {
            last = error;
        }
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`it never came to be: ${what}${last ? ` (${last.message})` : ''}`);
}

export const views = ['Entities', 'Entity', 'Storage', 'Systems', 'Space', 'Time', 'Events', 'Resources'];

export const isDarkerThan = (a, b) => luminance(a) < luminance(b);

function channels(colour) {
    return colour.match(/[\d.]+/g).slice(0, 3).map((n) => Number(n) / 255);
}

function luminance(colour) {
    const [r, g, b] = channels(colour).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** The contrast ratio of WCAG. */
export function contrast(a, b) {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
}
