/**
 * Warnings about what parties do wrong: of each party one at a time, so that none can fill the disk with words about it, or
 * hide by it what is said about another.
 */
import type { PublicKey } from '../identity/PublicKey.js'
import type { LogFields, Logger } from './Logger.js'
import { RepeatedWarning } from './RepeatedWarning.js'

/** Time between two lines about one party. */
const apartMs = 10_000

export class RepeatedWarnings {
  readonly #logger: Logger
  readonly #ofParty = new Map<PublicKey, RepeatedWarning>()

  constructor(logger: Logger) {
    this.#logger = logger
  }

  warn(party: PublicKey, message: string, fields: LogFields, nowMs: number): void {
    const known = this.#ofParty.get(party) ?? new RepeatedWarning(this.#logger, apartMs)
    this.#ofParty.set(party, known)
    known.warn(message, fields, nowMs)
  }
}
