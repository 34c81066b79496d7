/**
 * What the node must act on and when it must act next, as far as that is known without asking the database. The node may
 * be told too early that something is due, and look for nothing, but never too late: the rows that were read ahead are the
 * first of all that act, in order, and nothing acts before the instant until which it is known to be quiet.
 */
import type { StorageLimits } from '../limits.js'
import type { StoredState } from './StoredState.js'

/** How the database is asked, for what it holds and what is yet to be written. */
export type DueReader = {
  /** The first rows that act up to an instant, in order. */
  readonly due: (nowMs: number, limit: number) => readonly StoredState[]
  /** When the first of all rows acts; null when none does. */
  readonly nextMs: () => number | null
  /** Whether the tick has changed nothing yet that a question would have to see. */
  readonly isUnchanged: () => boolean
}

/** When fewer than this part of what is read at once is left, a tick that has changed nothing yet reads again. */
const lowAhead = 1 / 16

export class DueStates {
  readonly #readAheadRows: number
  readonly #reader: DueReader
  /** The node need not act before this instant. */
  #quietUntilMs = Number.NEGATIVE_INFINITY
  /** Whether it must act at that very instant: known until a row changes. */
  #isExact = false
  /** Rows that were due when they were last read, in order, so that not every tick has to read them again. */
  #ahead: readonly StoredState[] = []
  /** How many of them have had their turn. */
  #aheadFrom = 0
  /** All that act up to this instant are among them. */
  #aheadUntilMs = Number.NEGATIVE_INFINITY
  /** Whether more may be due than was read ahead. */
  #hasMore = false

  constructor({ dueReadAhead }: StorageLimits, reader: DueReader) {
    this.#readAheadRows = dueReadAhead
    this.#reader = reader
  }

  /** Takes note of when a row that is new or changed acts. */
  noteChange(row: StoredState): void {
    // A consumed state acts no more, also before its activity has been told so.
    const actsAtMs = row.untilRevision === null ? row.actsAtMs : null
    if (actsAtMs !== null && actsAtMs < this.#quietUntilMs) this.#quietUntilMs = actsAtMs
    else if (this.#quietUntilMs !== Number.POSITIVE_INFINITY) this.#isExact = false
    // It belongs among those that were read ahead, or no longer where it stands there.
    if (actsAtMs !== null && actsAtMs <= this.#aheadUntilMs) this.forgetAhead()
  }

  /** The first rows that are due, in order; fewer than there are when no more were read ahead. */
  due(nowMs: number, limit: number): readonly StoredState[] {
    if (this.#quietUntilMs > nowMs) return []
    if (!this.isDueAhead(nowMs) || (this.#isLow && this.#reader.isUnchanged())) this.#readAhead(nowMs)
    return this.#ahead.slice(this.#aheadFrom, this.#aheadFrom + limit)
  }

  /** Whether a tick may come to the end of what was read ahead: after a question in its midst it could not be handed over. */
  get #isLow(): boolean {
    return this.#hasMore && this.#ahead.length - this.#aheadFrom < this.#readAheadRows * lowAhead
  }

  /** Whether something is due, of what was read ahead. */
  isDueAhead(nowMs: number): boolean {
    for (; this.#aheadFrom < this.#ahead.length; this.#aheadFrom++) {
      const actsAtMs = this.#ahead[this.#aheadFrom]?.actsAtMs ?? null
      if (actsAtMs !== null && actsAtMs <= nowMs) return true
    }
    return false
  }

  /** Whether something that was read ahead has not had its turn. */
  get isWaiting(): boolean {
    return this.isDueAhead(this.#aheadUntilMs)
  }

  /** The earliest instant at which the node must act. */
  nextMs(): number | undefined {
    if (!this.#isExact) {
      this.#quietUntilMs = this.#reader.nextMs() ?? Number.POSITIVE_INFINITY
      this.#isExact = true
    }
    return this.#quietUntilMs === Number.POSITIVE_INFINITY ? undefined : this.#quietUntilMs
  }

  /** To be called when rows are let go: one that is read ahead must be the very one that others find and change. */
  forgetAhead(): void {
    this.#ahead = []
    this.#aheadFrom = 0
    this.#aheadUntilMs = Number.NEGATIVE_INFINITY
    this.#hasMore = false
  }

  /** To be called when changes that were noted have been taken back. */
  forget(): void {
    this.#quietUntilMs = Number.NEGATIVE_INFINITY
    this.#isExact = false
    this.forgetAhead()
  }

  #readAhead(nowMs: number): void {
    this.#ahead = this.#reader.due(nowMs, this.#readAheadRows)
    this.#aheadFrom = 0
    this.#hasMore = this.#ahead.length === this.#readAheadRows
    this.#aheadUntilMs = this.#hasMore ? (this.#ahead.at(-1)?.actsAtMs ?? nowMs) : nowMs
    // Nothing is due: so it is worth knowing until when, or the next tick would look again.
    if (this.#ahead.length === 0) this.nextMs()
  }
}
