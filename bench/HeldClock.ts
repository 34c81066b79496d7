/**
 * A clock that stands still until it is let go, and then runs like the machine's. So a benchmark can lay out its
 * work in peace and have it fall due, all of it, after the preparation is over and not a moment before.
 */
import { instantFromMillis, type Instant } from 'carillon'
import type { Clock } from 'carillon/types'

type Wait = { readonly atMs: number; readonly callback: () => void; timer: NodeJS.Timeout | undefined }

const longestWaitMs = 1_000

export class HeldClock implements Clock {
  readonly #heldMs: number
  readonly #waits = new Set<Wait>()
  /** The reading of the monotonic clock at which this clock began to run. */
  #runsSinceMs: number | undefined

  constructor(startMs = Date.now()) {
    this.#heldMs = startMs
  }

  /** The same as {@link now}, with its fraction. */
  preciseNow(): number {
    return this.#heldMs + (this.#runsSinceMs === undefined ? 0 : performance.now() - this.#runsSinceMs)
  }

  readonly now = (): number => Math.floor(this.preciseNow())

  /** An instant so many milliseconds after the clock is let go. */
  after(ms: number): Instant {
    return instantFromMillis(this.#heldMs + ms)
  }

  letGo(): void {
    this.#runsSinceMs = performance.now()
    for (const wait of this.#waits) this.#arm(wait)
  }

  readonly wakeAt = (atMs: number, callback: () => void): (() => void) => {
    const wait: Wait = { atMs, callback, timer: undefined }
    this.#waits.add(wait)
    this.#arm(wait)
    return () => {
      clearTimeout(wait.timer)
      this.#waits.delete(wait)
    }
  }

  #arm(wait: Wait): void {
    clearTimeout(wait.timer)
    const waitMs = wait.atMs - this.preciseNow()
    if (this.#runsSinceMs === undefined && waitMs > 0) return
    wait.timer = setTimeout(
      () => {
        this.#waits.delete(wait)
        wait.callback()
      },
      Math.min(Math.max(waitMs, 0), longestWaitMs),
    )
  }
}
