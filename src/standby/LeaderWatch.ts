/**
 * How long the leader has been silent, by this process's own monotonic clock, which nobody sets. The lease is the
 * longest that was heard of: to wait too long costs time, to wait too short costs leaders that take turns.
 */
import type { DomainEvent } from '../log/events.js'

export class LeaderWatch {
  readonly #nowMs: () => number
  #leaseMs: number
  #heardAt: number
  #hasStopped: boolean
  #hasHeard = false

  constructor(leaseMs: number, isRunning: boolean, nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs
    this.#leaseMs = leaseMs
    this.#hasStopped = !isRunning
    this.#heardAt = nowMs()
  }

  /** A tick of the leader has come. */
  hear(events: readonly DomainEvent[]): void {
    this.#heardAt = this.#nowMs()
    this.#hasHeard = true
    for (const event of events) {
      if (event.type === 'NodeStopped') this.#hasStopped = true
      if (event.type === 'NodeStarted') this.#hasStopped = false
      if ((event.type === 'NodeStarted' || event.type === 'LeaseRenewed') && event.leaseMs !== undefined)
        this.#leaseMs = Math.max(this.#leaseMs, event.leaseMs)
    }
  }

  /** Something was appended meanwhile that this process has only now caught up with. */
  heardOf(isRunning: boolean): void {
    this.#heardAt = this.#nowMs()
    this.#hasHeard = true
    this.#hasStopped = !isRunning
  }

  /** Time until the leader counts as gone; zero when it is. */
  remainingMs(): number {
    return this.#hasStopped ? 0 : Math.max(0, this.#heardAt + this.#leaseMs - this.#nowMs())
  }

  /** For how long nothing was heard of the leader. */
  silentMs(): number {
    return this.#nowMs() - this.#heardAt
  }

  /** Whether a leader was alive while this process watched. Then the node has been running all the time. */
  get hasHeard(): boolean {
    return this.#hasHeard
  }
}
