/**
 * Which flows are to be woken and when, as far as that is known without asking the database: all of them while they are
 * few, otherwise only the instant before which there is none. The answers are those that {@link WakingReader} would give.
 */
import type { FlowDraft } from '../../flow/FlowRow.js'
import type { UnitOfWork } from '../UnitOfWork.js'

/** How the database is asked, for what it holds and what is yet to be written. */
export type WakingReader = {
  /** Flows that are to be woken up to an instant, in order. */
  readonly toWake: (nowMs: number, limit: number) => readonly FlowDraft[]
  /** When the first of all is to be woken; null when none is. */
  readonly nextMs: () => number | null
  /** How many are to be woken at some instant, counted up to a limit. */
  readonly count: (limit: number) => number
}

export class WakingFlows {
  readonly #rowsKept: number
  readonly #reader: WakingReader
  /** All flows that are to be woken at some instant, as long as they are few; undefined when they are not. */
  #all: Map<number, FlowDraft> | undefined
  /** No flow is to be woken before this instant. */
  #quietUntilMs = Number.NEGATIVE_INFINITY
  /** Whether a flow is to be woken at that very instant: known until a flow changes. */
  #isExact = false

  constructor(unit: UnitOfWork, reader: WakingReader) {
    this.#reader = reader
    this.#rowsKept = unit.limits.rowsKept
    unit.join({
      rolledBack: () => {
        this.#all = undefined
        this.#quietUntilMs = Number.NEGATIVE_INFINITY
        this.#isExact = false
      },
    })
  }

  /** The flows that are known, which must stay in memory: whoever finds one must find this very row. */
  rows(): Iterable<FlowDraft> {
    return this.#all?.values() ?? []
  }

  /** Takes note of when a flow that is new or changed is to be woken. */
  noteChange(row: FlowDraft): void {
    this.#isExact = false
    if (row.wakeMs !== null && row.wakeMs < this.#quietUntilMs) this.#quietUntilMs = row.wakeMs
    if (this.#all === undefined) return
    if (row.wakeMs === null) this.#all.delete(row.seq)
    else this.#all.set(row.seq, row)
    if (this.#all.size > this.#rowsKept) this.#all = undefined
  }

  toWake(nowMs: number, limit: number): readonly FlowDraft[] {
    if (this.#all === undefined) {
      if (this.#quietUntilMs > nowMs) return []
      this.#learn()
    }
    if (this.#all === undefined) return this.#reader.toWake(nowMs, limit)
    const due = [...this.#all.values()].filter(({ wakeMs }) => wakeMs !== null && wakeMs <= nowMs)
    return due.sort((a, b) => (a.wakeMs ?? 0) - (b.wakeMs ?? 0) || a.seq - b.seq).slice(0, limit)
  }

  /** Whether a flow is to be woken, of those that are known. */
  isToWake(nowMs: number): boolean {
    for (const { wakeMs } of this.rows()) if (wakeMs !== null && wakeMs <= nowMs) return true
    return false
  }

  /** The earliest instant at which a flow is to be woken. */
  nextMs(): number | undefined {
    if (this.#all === undefined && !this.#isExact) this.#learn()
    const nextMs =
      this.#all === undefined
        ? this.#quietUntilMs
        : Math.min(...[...this.#all.values()].map(({ wakeMs }) => wakeMs ?? Number.POSITIVE_INFINITY))
    return nextMs === Number.POSITIVE_INFINITY ? undefined : nextMs
  }

  #learn(): void {
    if (this.#reader.count(this.#rowsKept + 1) <= this.#rowsKept) {
      const rows = this.#reader.toWake(Number.MAX_SAFE_INTEGER, this.#rowsKept)
      this.#all = new Map(rows.map((row) => [row.seq, row]))
      return
    }
    this.#quietUntilMs = this.#reader.nextMs() ?? Number.POSITIVE_INFINITY
    this.#isExact = true
  }
}
