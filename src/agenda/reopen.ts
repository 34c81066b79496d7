/**
 * A start of the node opens a new attempt for each overdue occurrence whose flow ended before without consuming
 * its state. It goes through them in the order of their due instants, as many as a tick has room for, and each at most once a start.
 */
import type { SigningDecision } from '../decision/Decision.js'
import type { FlowEngine } from '../flow/FlowEngine.js'
import { limits } from '../limits.js'
import { decideOccurrence } from './decideDue.js'

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

  decide(decision: SigningDecision, engine: FlowEngine): void {
    if (this.#done || decision.views.facts.now.draining) return
    const rows = decision.views.activities.ended(this.#after, limits.activitiesPerTick)
    let after = this.#after
    let complete = rows.length < limits.activitiesPerTick
    for (const row of rows) {
      if (decision.isFull()) {
        complete = false
        break
      }
      after = { dueMs: row.dueMs ?? 0, seq: row.seq }
      const endedBefore = decision.views.flows.lastEndOf(row.seq) < this.#startRevision
      if (row.standing === 'ended' && endedBefore && (row.dueMs ?? 0) <= decision.nowMs)
        decideOccurrence(decision, engine, row, 'restart')
    }
    decision.release(() => {
      this.#after = after
      this.#done = complete
    })
  }
}
