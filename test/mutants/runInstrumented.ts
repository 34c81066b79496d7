/** Runs a program on the changed sources, in a process of its own, and hears what it prints last. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type * as t from 'io-ts'
import { decodeWith } from '../../src/encoding/decode.js'

/** Where the changed sources are. */
export type Ground = {
  /** A copy of the sources, with the packages they need. */
  readonly sources: string
  /** The same with all drawn changes in them, each behind a switch. */
  readonly instrumented: string
}

/** A change that makes something go on without end has been found by that. An ordinary history takes about a second, where nobody else works. */
const longestMs = 120_000

const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? ''

const errorIn = (text: string): string => text.split('\n').find((line) => line.includes('Error')) ?? lastLine(text)

/** What a program of this folder has printed, or how else it came to its end. With the id of a change, that is switched on. */
export const runInstrumented = <A>(
  { sources, instrumented }: Ground,
  program: { readonly file: string; readonly args: readonly string[]; readonly prints: t.Type<A, unknown> },
  mutant?: string,
): Promise<A | string> => {
  const here = join(sources, 'test/mutants')
  const child = spawn(
    process.execPath,
    [
      ...['--import', pathToFileURL(join(here, 'instrumented.mjs')).href],
      ...['--conditions=carillon-source', '--import', import.meta.resolve('tsx'), '--no-experimental-require-module'],
      ...[join(here, program.file), ...program.args],
    ],
    {
      cwd: sources,
      env: {
        ...process.env,
        CARILLON_SOURCES: sources,
        CARILLON_INSTRUMENTED: instrumented,
        ...(mutant === undefined ? {} : { __STRYKER_ACTIVE_MUTANT__: mutant }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  return new Promise((resolve) => {
    let out = ''
    let errors = ''
    child.stdout.on('data', (data: Buffer) => (out += data.toString()))
    let isLate = false
    const giveUp = (): void => {
      isLate = true
      child.kill('SIGKILL')
    }
    let timer = setTimeout(giveUp, longestMs)
    child.stderr.on('data', (data: Buffer) => {
      errors += data.toString()
      clearTimeout(timer)
      timer = setTimeout(giveUp, longestMs)
    })
    child.on('close', (code) => {
      clearTimeout(timer)
      if (isLate) {
        resolve(`nothing came to its end in ${longestMs / 1_000} s`)
        return
      }
      const decoded =
        code === 0 && lastLine(out).startsWith('{') ? decodeWith(program.prints, JSON.parse(lastLine(out))) : undefined
      resolve(decoded?._tag === 'Right' ? decoded.right : `the process ended: ${errorIn(errors).slice(0, 200)}`)
    })
  })
}
