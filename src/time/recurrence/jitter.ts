/**
 * Spreads occurrences a little, so that a thousand schedules of one o'clock do not all start at one o'clock. The
 * displacement follows from the recorded seed and the occurrence alone, so it is the same wherever it is computed.
 */
import * as t from 'io-ts'
import { IntegerC } from '../../encoding/IntegerC.js'
import { sha256 } from '../../encoding/hash.js'
import { displaced, type Sequence } from './Sequence.js'

/** Each occurrence is put off by less than `upToMs`, by an amount that `seed` decides. */
export const JitterC = t.readonly(t.strict({ seed: t.string, upToMs: IntegerC }), 'Jitter')
/** By how much at most each occurrence is put off, and the seed that decides it. */
export type Jitter = t.TypeOf<typeof JitterC>

const drawnFrom = 2 ** 48

/** How much one occurrence is put off. */
export const jitterOf = ({ seed, upToMs }: Jitter, nominalMs: number): number => {
  const drawn = Number.parseInt(sha256(`jitter\n${seed}\n${nominalMs}`).slice(0, 12), 16)
  return Math.floor((drawn / drawnFrom) * upToMs)
}

export const jittered = (inner: Sequence, jitter: Jitter): Sequence => {
  const reach = { low: 0, high: Math.max(0, jitter.upToMs - 1) }
  return displaced(inner, {
    images: (point) => [point + jitterOf(jitter, point)],
    reachOfImage: () => reach,
    reachOfPoint: () => reach,
  })
}
