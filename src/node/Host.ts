/**
 * What a node has from the machine it runs on. This is the one place that knows whether time is virtual. In virtual time
 * nothing may depend on how fast the machine is, so there are no threads, and the loop does their work itself.
 */
import type { Random } from '../identity/Random.js'
import { systemRandom } from '../identity/systemRandom.js'
import type { Clock } from '../time/Clock.js'
import { systemClock } from '../time/SystemClock.js'

/** The machine as a node sees it. */
export type Host = {
  readonly clock: Clock
  readonly random: Random
  /** Whether threads commit large ticks and verify signatures beside the loop. */
  readonly hasThreads: boolean
  readonly isVirtual: boolean
}

/** The machine itself, with the clock and the randomness that were given instead of its own. */
export const hostOf = ({
  clock = systemClock,
  random = systemRandom,
}: {
  readonly clock?: Clock
  readonly random?: Random
}): Host => {
  const { isVirtual = false } = clock
  return { clock, random, hasThreads: !isVirtual, isVirtual }
}
