/**
 * The machine's clock. No wait is trusted for longer than a second: a host timer cannot hold more than 24.8
 * days, does not run while the machine sleeps, and does not notice when the clock is set.
 */
import { timeLimits } from './limits.js'
import type { Clock } from './Clock.js'

/** The machine's clock, which a node uses unless it is given another. */
export const systemClock: Clock = {
  now: () => Date.now(),
  steadyMs: () => performance.now(),
  wakeAt: (atMs, callback) => {
    const waitMs = Math.min(Math.max(atMs - Date.now(), 0), timeLimits.longestTrustedWaitMs)
    const timer = setTimeout(callback, waitMs)
    return () => {
      clearTimeout(timer)
    }
  },
}
