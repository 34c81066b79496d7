/**
 * Notices when the clock jumps: when it goes back, or when it has gone on by more or less than the time that has passed.
 * Nothing is decided by it; whoever wonders about a late or an early start finds both times in the log lines.
 */
import type { EngineLimits } from './limits.js'
import { instantFromMillis, latestInstantMs, type Instant } from '../time/Instant.js'
import type { Logger } from './Logger.js'

const shown = (ms: number): Instant => instantFromMillis(Math.min(Math.max(0, Math.round(ms)), latestInstantMs))

export class ClockWatch {
  readonly #logger: Logger
  readonly #jumpMs: number
  #lastMs: number
  #lastSteadyMs: number | undefined

  /** `lastMs` is the last time that the log tells. */
  constructor(logger: Logger, { clockJumpMs }: EngineLimits, lastMs: number) {
    this.#jumpMs = clockJumpMs
    this.#logger = logger
    this.#lastMs = lastMs
  }

  /** To be told what the clock shows, and how much time has passed since some moment, where that is known. */
  look(nowMs: number, steadyMs: number | undefined): void {
    // Without a steady clock nobody knows how much time has passed, only that it was not less than none.
    const expectedMs =
      steadyMs === undefined || this.#lastSteadyMs === undefined
        ? Math.max(this.#lastMs, nowMs)
        : this.#lastMs + steadyMs - this.#lastSteadyMs
    this.#tell(expectedMs, nowMs)
    this.#lastMs = nowMs
    this.#lastSteadyMs = steadyMs
  }

  #tell(fromMs: number, toMs: number): void {
    const byMs = Math.round(toMs - fromMs)
    if (Math.abs(byMs) < this.#jumpMs) return
    const [from, to] = [shown(fromMs), shown(toMs)]
    this.#logger.warn(
      `The clock has jumped ${byMs < 0 ? 'back' : 'ahead'} by ${Math.abs(byMs)} ms, from ${from} to ${to}. It was set, or the machine was suspended. What is due by the new time runs now; nothing runs twice.`,
      { from, to, byMs },
    )
  }
}
