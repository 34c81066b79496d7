/**
 * A start of the node opens a new attempt for each overdue occurrence whose flow ended before without consuming
 * its state. It goes through them in the order of their due instants, as many as a tick has room for, and each at most once a start.
 */
import type { ActiveTick } from './ActiveTick.js'
import type { FlowEngine } from './FlowEngine.js'
import { runActivity } from './runDue.js'

export class Reopening {
  #after = { dueMs: Number.MIN_SAFE_INTEGER, seq: 0 }
  #done: boolean
  readonly #startRevision: number

  /** `startRevision` is where the node's start was recorded: whatever ended later is not opened again. */
  constructor(startRevision: number, isDone = false) {
    this.#startRevision = startRevision
    this.#done = isDone
  }

  get isDone(): boolean {
    return this.#done
  }

  decide(tick: ActiveTick, engine: FlowEngine): void {
    if (this.#done || tick.views.facts.now.draining) return
    const { activitiesPerTick } = tick.limits.engine
    const rows = tick.views.activities.ended(this.#after, activitiesPerTick)
    let after = this.#after
    let complete = rows.length < activitiesPerTick
    for (const row of rows) {
      if (tick.isFull()) {
        complete = false
        break
      }
      after = { dueMs: row.dueMs ?? 0, seq: row.seq }
      const endedBefore = tick.views.flows.lastEndOf(row.seq) < this.#startRevision
      if (row.standing === 'ended' && endedBefore && (row.dueMs ?? 0) <= tick.nowMs)
        runActivity(tick, engine, row, 'restart')
    }
    tick.release(() => {
      this.#after = after
      this.#done = complete
    })
  }
}
