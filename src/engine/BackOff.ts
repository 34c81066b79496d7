/**
 * How long to wait before the next try: short at first, doubling up to a bound, and short again after a success. A
 * little chance is added, so that many nodes do not come back to a server all at once.
 */
import { logLimits } from '../log/limits.js'

export class BackOff {
  readonly #firstMs: number
  readonly #longestMs: number
  #nextMs: number

  constructor(firstMs: number = logLimits.logRetryFirstMs, longestMs: number = logLimits.logRetryLongestMs) {
    this.#firstMs = firstMs
    this.#longestMs = longestMs
    this.#nextMs = firstMs
  }

  /** The wait before the next try. */
  next(): number {
    const ms = this.#nextMs
    this.#nextMs = Math.min(ms * 2, this.#longestMs)
    return Math.round(ms * (0.75 + Math.random() / 2))
  }

  succeeded(): void {
    this.#nextMs = this.#firstMs
  }
}
