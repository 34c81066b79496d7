/** The process of a crash campaign that is killed: how it is built, started, listened to, and how it ended. */
import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { build } from 'esbuild'

const root = join(import.meta.dirname, '..', '..')

type Child = ChildProcessByStdio<null, Readable, Readable>

/** One file, so that a start of the child costs a fraction of a second and two hundred of them are bearable. */
export const bundleChild = async (folder: string): Promise<string> => {
  const outfile = join(folder, 'child.mjs')
  await build({
    entryPoints: [join(import.meta.dirname, 'child.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: 'inline',
    logLevel: 'error',
    // Packages written for require want it, and a module has none of its own.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url)",
    },
  })
  return outfile
}

export const startChild = (args: readonly string[]): Child =>
  spawn(process.execPath, ['--enable-source-maps', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // The SQLite driver is a native addon, which cannot be bundled.
    env: { ...process.env, NODE_PATH: join(root, 'node_modules') },
  })

export type Ended = { readonly code: number | null; readonly signal: string | null; readonly complaints: string }

export const endOf = async (child: Child): Promise<Ended> => {
  const chunks: Buffer[] = []
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk))
  await once(child, 'close')
  return { code: child.exitCode, signal: child.signalCode, complaints: Buffer.concat(chunks).toString('utf8') }
}

/** Resolves when a child has said a word. */
export const said = (child: Child, word: string): Promise<void> =>
  new Promise((resolve) => {
    let heard = ''
    child.stdout.on('data', (chunk: Buffer) => {
      heard += chunk.toString('utf8')
      if (heard.includes(word)) resolve()
    })
  })
