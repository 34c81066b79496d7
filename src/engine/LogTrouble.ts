/**
 * A log that cannot be written at the moment: why, how often that was tried, and when to try again. It is told to callers and
 * to operators at a bounded rate, and is over with the next tick that is written or the next look that succeeds.
 */
import { CarillonError } from '../errors/CarillonError.js'
import type { Clock } from '../time/Clock.js'
import type { EngineLimits } from './limits.js'
import type { Logger } from './Logger.js'
import type { LoopStore } from './LoopStore.js'
import { RepeatedWarning } from './RepeatedWarning.js'

export class LogTrouble {
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #limits: EngineLimits
  readonly #lines: RepeatedWarning
  #error: CarillonError | undefined
  #failures = 0
  /** When a tick is to be tried again that could not be written, unless a caller lets it be tried before. */
  #retryAtMs: number | undefined

  constructor(clock: Clock, logger: Logger, limits: EngineLimits) {
    this.#clock = clock
    this.#logger = logger
    this.#limits = limits
    this.#lines = new RepeatedWarning(logger, limits.troubleLineMs)
  }

  get error(): CarillonError | undefined {
    return this.#error
  }

  /** Failures to write since the last tick that was written. */
  get failures(): number {
    return this.#failures
  }

  met(error: CarillonError): void {
    this.#error = error
    this.#lines.warn(
      `The log could not be written; trying again. ${error.message}`,
      { code: error.code },
      this.#clock.now(),
    )
  }

  over(): void {
    this.#failures = 0
    this.#retryAtMs = undefined
    this.#error = undefined
    this.#lines.over()
  }

  isWaiting(): boolean {
    const leftMs = (this.#retryAtMs ?? Number.NEGATIVE_INFINITY) - this.#clock.now()
    // No wait is longer, unless the clock was set back meanwhile.
    return leftMs > 0 && leftMs <= this.#limits.storeRetryLongestMs
  }

  /** When to try again: later after each failure, up to a limit. */
  retryAtMs(): number {
    if (!this.isWaiting()) {
      const { storeRetryMs, storeRetryLongestMs } = this.#limits
      const waitMs = Math.min(storeRetryMs * 2 ** this.#failures, storeRetryLongestMs)
      this.#failures += 1
      this.#retryAtMs = this.#clock.now() + waitMs
    }
    return this.#retryAtMs ?? this.#clock.now()
  }

  /** A node with nothing to write would else be in trouble until it has; true when there is no use in looking again. */
  async probe(store: LoopStore): Promise<boolean> {
    if (store.probeLog === undefined) return true
    try {
      await store.probeLog()
    } catch (error) {
      // What does not pass ends the node.
      if (error instanceof CarillonError && error.consequence === 'stop') throw error
      if (error instanceof CarillonError) this.#error = error
      return false
    }
    this.over()
    this.#logger.info('The log can be reached again.', {})
    return true
  }
}
