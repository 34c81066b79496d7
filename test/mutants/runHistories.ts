/** Simulates histories with one change of the sources, in a process of its own, until one of them finds it. */
import * as t from 'io-ts'
import type { Mutant } from './Mutant.js'
import { runInstrumented, type Ground } from './runInstrumented.js'

const HuntedC = t.type({
  found: t.union([t.string, t.null]),
  reached: t.array(t.type({ history: t.string, ids: t.array(t.string) })),
  always: t.array(t.string),
})

const hunt = (ground: Ground, histories: readonly string[], mutant?: string) =>
  runInstrumented(ground, { file: 'huntMutant.ts', args: [histories.join(',')], prints: HuntedC }, mutant)

/** Those of one party take a third of the time that others take, and find the most. */
const inTurn = ['trips', 'workshop', 'market', 'trips', 'workshop', 'bazaar', 'trips', 'workshop']

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
