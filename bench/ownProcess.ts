/**
 * Programs of the benchmarks in processes of their own, run as a user's would be: JavaScript that was compiled before,
 * on the built package. A loader that compiles on the way would be in their memory and in the time they take to start.
 */
import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { execArgv, execPath, pid } from 'node:process'
import type { Readable } from 'node:stream'
import { buildSync } from 'esbuild'

/** Compiles a program and the files of the benchmarks it imports into a folder; packages stay where they are. */
export const compile = (program: string, folder: string): string => {
  const { outputFiles } = buildSync({
    entryPoints: [program],
    outdir: folder,
    bundle: true,
    // What is imported only when needed becomes a file of its own, and is still loaded only when needed.
    splitting: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    write: false,
    logLevel: 'error',
  })
  for (const { path, contents } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true })
    // Another run may be reading the file of the same name.
    const unfinished = `${path}.${pid}`
    writeFileSync(unfinished, contents)
    renameSync(unfinished, path)
  }
  return join(folder, `${basename(program, '.ts')}.js`)
}

/** Inside the repository, where `carillon` is found as an installed package is. */
const folder = join(import.meta.dirname, '..', '.cache', 'bench')

const compiled = new Map<string, string>()
const compiledOnce = (name: string): string => {
  const file = compiled.get(name) ?? compile(join(import.meta.dirname, `${name}.ts`), folder)
  compiled.set(name, file)
  return file
}

/** In the tests `carillon` means the sources, and those need the loader of the process that runs the tests. */
const options = import.meta.resolve('carillon').endsWith('.ts') ? execArgv : []

/** Starts one of the programs beside this file, with options of Node; what it complains of is shown. */
export const startProgramWith = (
  given: readonly string[],
  name: string,
  ...args: readonly string[]
): ChildProcessByStdio<null, Readable, null> =>
  spawn(execPath, [...options, ...given, compiledOnce(name), ...args], { stdio: ['ignore', 'pipe', 'inherit'] })

export const startProgram = (name: string, ...args: readonly string[]): ChildProcessByStdio<null, Readable, null> =>
  startProgramWith([], name, ...args)
