/**
 * Builds the package in `dist`: beside the one that is there, which is replaced only by one that is whole, so an interrupted
 * build breaks nothing. With `--runnable` only what a clone needs to run the command and the dashboard, and only when it is
 * older than its sources; nothing is deleted then, because a command may be running from there.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { packageEntries } from './packageEntries.js'
import { provideSqliteDriver } from './sqliteDriver.js'

const isWhole = !process.argv.includes('--runnable')
const target = isWhole ? 'dist-next' : 'dist'

/**
 * The code, in few files, because a start reads them one by one: hundreds of small ones take longer to find and read
 * than to run. What is loaded on first use stays apart, and so do the packages of others. Names are kept, so stacks and
 * profiles tell what the sources tell.
 */
const bundle = (): Promise<unknown> =>
  build({
    entryPoints: {
      ...Object.fromEntries(packageEntries().map(({ source }) => [source.slice('src/'.length, -'.ts'.length), source])),
      'cli/main': 'src/cli/main.ts',
      // Programs of threads, beside whoever starts them.
      'chunks/vouchingThread': 'src/history/vouchingThread.ts',
      'chunks/answerQuestions': 'src/http/answerQuestions.ts',
    },
    outdir: target,
    // One folder below `dist`, as the sources are below `src`: they find the dashboard and package.json from there.
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'warning',
  })

const run = (program: string, ...args: readonly string[]): void => {
  execFileSync(process.execPath, [program, ...args], { stdio: 'inherit' })
}

const types = (): void =>
  run(
    'node_modules/typescript-native/bin/tsc',
    '-p',
    'tsconfig.build.json',
    '--emitDeclarationOnly',
    '--outDir',
    target,
  )
const dashboard = (): void =>
  run(
    'node_modules/vite/bin/vite.js',
    'build',
    '--config',
    'src/dashboard/vite.config.ts',
    '--outDir',
    resolve(target, 'dashboard'),
  )
const template = (): void => cpSync('src/cli/template', join(target, 'cli/template'), { recursive: true, force: true })

const changedMs = (file: string): number => (existsSync(file) ? statSync(file).mtimeMs : 0)
const isCurrent = (): boolean => {
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).map((file) => changedMs(join('src', file)))
  const built = ['dist/cli/main.js', 'dist/dashboard/index.html'].map(changedMs)
  return Math.min(...built) > Math.max(changedMs('package-lock.json'), ...sources)
}

const steps: readonly (readonly [what: string, step: () => unknown])[] = [
  ...(isWhole ? ([['type declarations', types]] as const) : []),
  ['templates', template],
  ['code', bundle],
  ['dashboard', dashboard],
]

provideSqliteDriver()
if (isWhole) rmSync(target, { recursive: true, force: true })
for (const [what, step] of isWhole || !isCurrent() ? steps : []) {
  const began = performance.now()
  await step()
  const seconds = (performance.now() - began) / 1_000
  if (seconds > 1) console.log(`built: ${what}, ${seconds.toFixed(1)} s`)
}
if (existsSync(join(target, 'cli/main.js'))) chmodSync(join(target, 'cli/main.js'), 0o755)
if (isWhole) {
  rmSync('dist-old', { recursive: true, force: true })
  if (existsSync('dist')) renameSync('dist', 'dist-old')
  renameSync('dist-next', 'dist')
  rmSync('dist-old', { recursive: true, force: true })
}
