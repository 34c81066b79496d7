/**
 * Which flows a tick wakes: those whose instant has come, and those that are ready since an instant which the clock, having
 * been set back, is yet to reach again. What may go on does not wait for the time of day.
 */
import type { FlowRow } from '../flow/FlowRow.js'
import type { FlowsRead } from '../flow/FlowTables.js'
import { isReady } from '../flow/waiting.js'

export class FlowsToWake {
  /** No flow is ready since later than this. */
  #latestMs: number
  /** What that was before it was looked for in vain; a tick that does not stand may have hidden one. */
  #earlierMs = 0

  /** `latestMs` is the latest time that the log tells. */
  constructor(latestMs: number) {
    this.#latestMs = latestMs
  }

  /** The flows that a tick wakes, in order. */
  of(flows: FlowsRead, nowMs: number, limit: number): readonly FlowRow[] {
    this.#latestMs = Math.max(this.#latestMs, nowMs)
    const ahead = this.#readyAhead(flows, nowMs)
    // Looked for once, and not in every tick until the clock has come there.
    if (ahead.length === 0) this.#lookNoFurtherThan(nowMs)
    return [...flows.toWake(nowMs, limit), ...ahead].slice(0, limit)
  }

  /** Flows that had gone on are ready again. */
  rolledBack(): void {
    this.#latestMs = Math.max(this.#latestMs, this.#earlierMs)
  }

  /** Whether a flow is ready although its instant is to come; asked between ticks, when all that was decided stands. */
  hasReadyAhead(flows: FlowsRead, nowMs: number): boolean {
    if (this.#readyAhead(flows, nowMs).length > 0) return true
    this.#lookNoFurtherThan(nowMs)
    return false
  }

  #lookNoFurtherThan(nowMs: number): void {
    if (this.#latestMs <= nowMs) return
    this.#earlierMs = this.#latestMs
    this.#latestMs = nowMs
  }

  #readyAhead(flows: FlowsRead, nowMs: number): readonly FlowRow[] {
    if (this.#latestMs <= nowMs) return []
    const ahead = flows.toWake(this.#latestMs, Number.MAX_SAFE_INTEGER)
    return ahead.filter((row) => row.wakeMs !== null && row.wakeMs > nowMs && isReady(row))
  }
}
