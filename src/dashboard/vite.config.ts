/**
 * How the dashboard is built: a few files beside the compiled node, which serves them itself.
 */
import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  logLevel: 'warn',
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
  build: {
    outDir: '../../dist/dashboard',
    emptyOutDir: true,
    target: 'es2022',
    // Inlined pictures and polyfills would need a laxer content policy.
    assetsInlineLimit: 0,
    modulePreload: false,
    reportCompressedSize: false,
  },
})
