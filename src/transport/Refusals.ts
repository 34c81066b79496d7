/**
 * What was refused on the network, told to the log: the first time at once, then at most once a while with a count. There are
 * few lines in a while about one side, whatever it does, and few about strangers, however many addresses they have: whoever
 * floods the node cannot flood its log.
 */
import type { TransportLimits } from './limits.js'
import type { LogFields, Logger } from '../engine/Logger.js'

/** Lines about one side in a while: what others say may vary without end. */
const linesOfSide = 5

/** Lines about all strangers together. */
const linesOfStrangers = 100

type Told = { atMs: number; untold: number }

/** The lines of a while that has begun, and how often none was left. */
type While = { sinceMs: number; lines: number; untold: number }

const begun = (sinceMs: number, untold = 0): While => ({ sinceMs, lines: 0, untold })

export class Refusals {
  readonly #logger: Logger
  readonly #limits: TransportLimits
  readonly #told = new Map<string, Told>()
  readonly #sides = new Map<string, While>()
  #strangers = begun(-Infinity)

  constructor(logger: Logger, limits: TransportLimits) {
    this.#limits = limits
    this.#logger = logger
  }

  /** `who` is a party's name, or a part of this node; `what` a sentence. */
  tell(who: string, what: string, fields: LogFields = {}): void {
    const key = `${who}\n${what}`
    const nowMs = performance.now()
    const told = this.#told.get(key)
    if (told !== undefined && nowMs - told.atMs < this.#limits.refusalLineMs) {
      told.untold += 1
      return
    }
    const side = this.#sideOf(who, nowMs)
    if (side.lines >= linesOfSide) {
      side.untold += 1
      return
    }
    const untold = (told?.untold ?? 0) + side.untold
    side.lines += 1
    side.untold = 0
    if (this.#told.size >= this.#limits.refusalsRemembered) this.#told.clear()
    this.#told.set(key, { atMs: nowMs, untold: 0 })
    const more = untold === 0 ? '' : ` (${untold} times more since it was last told)`
    this.#logger.warn(`${who}: ${what}${more}`, fields)
  }

  /** The same about an address from which nobody has said yet who it is. */
  tellOfStranger(address: string, what: string): void {
    const nowMs = performance.now()
    if (nowMs - this.#strangers.sinceMs >= this.#limits.refusalLineMs) this.#strangers = begun(nowMs)
    if (this.#strangers.lines >= linesOfStrangers) return
    this.#strangers.lines += 1
    this.tell(address, what)
  }

  #sideOf(who: string, nowMs: number): While {
    const known = this.#sides.get(who)
    if (known !== undefined && nowMs - known.sinceMs < this.#limits.refusalLineMs) return known
    if (this.#sides.size >= this.#limits.refusalsRemembered) this.#sides.clear()
    const side = begun(nowMs, known?.untold)
    this.#sides.set(who, side)
    return side
  }
}
