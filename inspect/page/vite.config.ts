import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

/** The server does not compress: writes FILE.gz for each FILE. */
function packed(): Plugin {
    let folder = '';
    return {
        name: 'packed',
        apply: 'build',
        configResolved(config) {
            folder = config.build.outDir;
        },
        closeBundle() {
            for (const file of readdirSync(folder))
                if (!file.endsWith('.gz')) writeFileSync(join(folder, `${file}.gz`), gzipSync(readFileSync(join(folder, file)), { level: 9 }));
        },
    };
}

// Three files without a hash in their names, because they are embedded in the library and never cached.
export default defineConfig({
    base: './',
    esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
    plugins: [packed()],
    build: {
        target: 'es2022',
        assetsInlineLimit: 0,
        modulePreload: false,
        cssCodeSplit: false,
        rollupOptions: {
            output: {
                entryFileNames: 'page.js',
                assetFileNames: 'page[extname]',
                inlineDynamicImports: true,
            },
        },
    },
});
