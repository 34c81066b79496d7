/**
 * What becomes of a local time that does not exist, or exists twice, on a day the clocks change. The policy is
 * chosen and recorded with the rule; every local time then means a known set of instants.
 */
import * as t from 'io-ts'
import { offsetMs, type Zone } from '../Zone.js'

/**
 * `gap`: a local time that is jumped over is left out (`skip`), read with the offset before the jump and so falls
 * after it (`shift-forward`: 02:30 becomes 03:30), or read with the offset after it (`shift-back`: 01:30).
 * `overlap`: a local time that comes twice means its `first` instant, its `second`, or `both`.
 */
export const DstPolicyC = t.readonly(
  t.strict({
    gap: t.keyof({ skip: null, 'shift-forward': null, 'shift-back': null }),
    overlap: t.keyof({ first: null, second: null, both: null }),
  }),
  'DstPolicy',
)
/** What a local time means on a day the clocks change. */
export type DstPolicy = t.TypeOf<typeof DstPolicyC>

/** As RFC 5545 has it: nothing is lost in spring, nothing is done twice in autumn. */
export const defaultDstPolicy: DstPolicy = { gap: 'shift-forward', overlap: 'first' }

/** Further from UTC than any zone has ever been, so two looks this far apart lie on both sides of the local time. */
const farthestOffsetMs = 15 * 3_600_000

/** The instants a local time means, in order: none, one or two. */
export const instantsOf = (zone: Zone, policy: DstPolicy, localTimeMs: number): readonly number[] => {
  const before = offsetMs(zone, localTimeMs - farthestOffsetMs)
  const after = offsetMs(zone, localTimeMs + farthestOffsetMs)
  const early = localTimeMs - before
  const late = localTimeMs - after
  if (before === after) return [early]
  const earlyExists = offsetMs(zone, early) === before
  const lateExists = offsetMs(zone, late) === after
  if (earlyExists && lateExists) {
    // The clock went back, so the larger offset, which came before, gives the earlier instant.
    return policy.overlap === 'both' ? [early, late] : [policy.overlap === 'first' ? early : late]
  }
  if (earlyExists) return [early]
  if (lateExists) return [late]
  return policy.gap === 'skip' ? [] : [policy.gap === 'shift-forward' ? early : late]
}
