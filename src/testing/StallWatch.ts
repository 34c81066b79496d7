/**
 * Notices that nobody moves a virtual clock. It looks in real time, and counts its looks, so that a machine that is busy
 * does not look like a clock that stands still.
 */
import type { VirtualClock } from '../time/VirtualClock.js'

const lookMs = 100
/** A clock that has not moved between so many looks is not about to be moved. */
const looks = 10

/** Calls back while a clock has stood still for about a second, until the returned function is called. */
export const whenStalled =
  (clock: VirtualClock) =>
  (callback: () => void): (() => void) => {
    let seenMs = clock.now()
    let still = 0
    let total = 0
    let timer: NodeJS.Timeout
    const look = (): void => {
      still = clock.now() === seenMs ? still + 1 : 0
      seenMs = clock.now()
      total += 1
      if (still > 0 && still % looks === 0) callback()
      next()
    }
    const next = (): void => {
      timer = setTimeout(look, lookMs)
      // Whoever was not told by now is not going to be, and must not keep the process alive.
      if (total > looks) timer.unref()
    }
    next()
    return () => {
      clearTimeout(timer)
    }
  }
