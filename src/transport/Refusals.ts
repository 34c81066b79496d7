/**
 * What was refused on the network, told to the log: the first time at once, then at most once a while with a count,
 * so that whoever floods the node cannot flood its log.
 */
import type { TransportLimits } from './limits.js'
import type { LogFields, Logger } from '../engine/Logger.js'

type Told = { atMs: number; untold: number }

export class Refusals {
  readonly #logger: Logger
  readonly #limits: TransportLimits
  readonly #told = new Map<string, Told>()

  constructor(logger: Logger, limits: TransportLimits) {
    this.#limits = limits
    this.#logger = logger
  }

  /** `who` is an address or a party's name; `what` a sentence. */
  tell(who: string, what: string, fields: LogFields = {}): void {
    const key = `${who}\n${what}`
    const nowMs = performance.now()
    const told = this.#told.get(key)
    if (told !== undefined && nowMs - told.atMs < this.#limits.refusalLineMs) {
      told.untold += 1
      return
    }
    if (this.#told.size >= this.#limits.refusalsRemembered) this.#told.clear()
    this.#told.set(key, { atMs: nowMs, untold: 0 })
    const more = told === undefined || told.untold === 0 ? '' : ` (${told.untold} times more since it was last told)`
    this.#logger.warn(`${who}: ${what}${more}`, fields)
  }
}
