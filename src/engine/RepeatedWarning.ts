/**
 * A warning about something that goes on: said at once, then at most once in a while, with how often it was left out, so that
 * trouble which lasts cannot fill the disk with words about it.
 */
import type { LogFields, Logger } from './Logger.js'

export class RepeatedWarning {
  readonly #logger: Logger
  readonly #apartMs: number
  #lastMs: number | undefined
  #leftOut = 0

  constructor(logger: Logger, apartMs: number) {
    this.#logger = logger
    this.#apartMs = apartMs
  }

  warn(message: string, fields: LogFields, nowMs: number): void {
    // A clock that was set back must not silence it.
    if (this.#lastMs !== undefined && Math.abs(nowMs - this.#lastMs) < this.#apartMs) {
      this.#leftOut += 1
      return
    }
    const more = this.#leftOut === 0 ? {} : { timesSince: this.#leftOut }
    this.#logger.warn(message, { ...fields, ...more })
    this.#lastMs = nowMs
    this.#leftOut = 0
  }

  /** What is said next is about something new. */
  over(): void {
    this.#lastMs = undefined
    this.#leftOut = 0
  }
}
