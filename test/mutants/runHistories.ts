/** Simulates histories with one change of the sources, in a process of its own, until one of them finds it. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import * as t from 'io-ts'
import { decodeWith } from '../../src/encoding/decode.js'
import type { Mutant } from './Mutant.js'

/** Where the changed sources are. */
export type Ground = {
  /** A copy of the sources, with the packages they need. */
  readonly sources: string
  /** The same with all drawn changes in them, each behind a switch. */
  readonly instrumented: string
}

/** A change that makes one history go on without end has been found by that. An ordinary one takes about a second. */
const longestMs = 60_000

const HuntedC = t.type({
  found: t.union([t.string, t.null]),
  reached: t.array(t.type({ history: t.string, ids: t.array(t.string) })),
  always: t.array(t.string),
})
type Hunted = t.TypeOf<typeof HuntedC>

const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? ''

const errorIn = (text: string): string => text.split('\n').find((line) => line.includes('Error')) ?? lastLine(text)

const hunt = (
  { sources, instrumented }: Ground,
  histories: readonly string[],
  mutant?: string,
): Promise<Hunted | string> => {
  const here = join(sources, 'test/mutants')
  const child = spawn(
    process.execPath,
    [
      ...['--import', pathToFileURL(join(here, 'instrumented.mjs')).href],
      ...['--conditions=carillon-source', '--import', import.meta.resolve('tsx')],
      ...[join(here, 'huntMutant.ts'), histories.join(',')],
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
        resolve(`a history did not end in ${longestMs / 1_000} s`)
        return
      }
      const decoded = code === 0 && out.includes('"found"') ? decodeWith(HuntedC, JSON.parse(lastLine(out))) : undefined
      resolve(decoded?._tag === 'Right' ? decoded.right : `the process ended: ${errorIn(errors).slice(0, 200)}`)
    })
  })
}

/** Those of one party take a fifth of the time that others take, and find the most. */
const inTurn = ['workshop', 'market', 'workshop', 'bazaar', 'workshop']

/** The histories that are tried. */
const historiesUpTo = (count: number): readonly string[] => {
  const seeds = new Map<string, number>()
  return Array.from({ length: count }, (_, place) => {
    const world = inTurn[place % inTurn.length] ?? ''
    const seed = seeds.get(world) ?? 0
    seeds.set(world, seed + 1)
    return `${world} ${seed}`
  })
}

/**
 * The mutants with the histories that execute what is changed: no other can find it. Nothing is changed meanwhile, so
 * whatever is found now is wrong with the sources or with the histories.
 */
export const findReached = async (
  ground: Ground,
  mutants: readonly Mutant[],
  count: number,
): Promise<readonly Mutant[]> => {
  const histories = historiesUpTo(count)
  const hunted = await hunt(ground, histories)
  if (typeof hunted === 'string' || hunted.found !== null)
    throw new Error(`Without any change, the histories find: ${typeof hunted === 'string' ? hunted : hunted.found}`)
  return mutants.map((mutant) => {
    const { id = '' } = mutant
    const reachedBy = hunted.always.includes(id)
      ? histories
      : hunted.reached.flatMap(({ history, ids }) => (ids.includes(id) ? [history] : []))
    return { ...mutant, reachedBy: [...reachedBy] }
  })
}

/** What a history found; null when none did. */
export const runHistories = async (ground: Ground, { id = '', reachedBy = [] }: Mutant): Promise<string | null> => {
  if (reachedBy.length === 0) return null
  const hunted = await hunt(ground, reachedBy, id)
  return typeof hunted === 'string' ? hunted : hunted.found
}
