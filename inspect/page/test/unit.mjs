// Runs the unit tests of the page, without a browser: npm test. Vite compiles TypeScript for node.
import { dirname } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const server = await createServer({
    root,
    appType: 'custom',
    logLevel: 'error',
    optimizeDeps: { noDiscovery: true },
    server: { middlewareMode: true, hmr: false, ws: false, watch: null },
});
after(() => server.close());
await server.ssrLoadModule('/test/unit.test.ts');
