/**
 * Spreads occurrences a little, so that a thousand schedules of one o'clock do not all start at one o'clock. The
 * displacement follows from the recorded seed and the occurrence alone, so it is the same wherever it is computed, and
 * it is less than the time to the next occurrence, so none ever overtakes another.
 */
import * as t from 'io-ts'
import { IntegerC } from '../../encoding/IntegerC.js'
import { sha256 } from '../../encoding/hash.js'
import { refuse } from './refuse.js'
import type { Sequence } from './Sequence.js'
import type { StepBudget } from './StepBudget.js'

/**
 * Each occurrence is put off by less than `upToMs`, and by less than the time to the next one, by an amount that `seed`
 * decides.
 */
export const JitterC = t.readonly(t.strict({ seed: t.string, upToMs: IntegerC }), 'Jitter')
/** By how much at most each occurrence is put off, and the seed that decides it. */
export type Jitter = t.TypeOf<typeof JitterC>

const drawnFrom = 2 ** 48

/** How much one occurrence is put off. */
export const jitterOf = ({ seed, upToMs }: Jitter, nominalMs: number): number => {
  const drawn = Number.parseInt(sha256(`jitter\n${seed}\n${nominalMs}`).slice(0, 12), 16)
  return Math.floor((drawn / drawnFrom) * upToMs)
}

export const jittered = (inner: Sequence, { seed, upToMs }: Jitter): Sequence => {
  if (upToMs < 0) return refuse(`jitter of ${upToMs} ms`, 'occurrences are put off, so jitter is at least 0.')
  const image = (point: number, budget: StepBudget): number => {
    const next = inner.after(point, budget)
    return point + jitterOf({ seed, upToMs: Math.min(upToMs, next === undefined ? upToMs : next - point) }, point)
  }
  return {
    after: (ms, budget) => {
      const last = inner.before(ms + 1, budget)
      const putOff = last === undefined ? undefined : image(last, budget)
      if (putOff !== undefined && putOff > ms) return putOff
      const next = inner.after(ms, budget)
      return next === undefined ? undefined : image(next, budget)
    },
    before: (ms, budget) => {
      const last = inner.before(ms, budget)
      if (last === undefined) return undefined
      const putOff = image(last, budget)
      if (putOff < ms) return putOff
      const earlier = inner.before(last, budget)
      return earlier === undefined ? undefined : image(earlier, budget)
    },
  }
}
