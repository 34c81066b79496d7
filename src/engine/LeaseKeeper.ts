/**
 * Keeps the standbys quiet while this process leads: whenever a third of the lease has passed without a tick, one that
 * says no more than that the leader is there is appended. Any other tick says it as well.
 */
import type { Loop } from './Loop.js'

export class LeaseKeeper {
  readonly #loop: Loop
  readonly #leaseMs: number
  #timer: NodeJS.Timeout | undefined
  #hasTicked = false
  #isUnderWay = false
  #unfollow: () => void = () => undefined

  constructor(loop: Loop, leaseMs: number) {
    this.#loop = loop
    this.#leaseMs = leaseMs
  }

  start(): void {
    this.#unfollow = this.#loop.follow(() => {
      this.#hasTicked = true
    })
    this.#timer = setInterval(() => this.#renew(), Math.ceil(this.#leaseMs / 3))
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#unfollow()
  }

  #renew(): void {
    const wasBusy = this.#hasTicked
    this.#hasTicked = false
    if (wasBusy || this.#isUnderWay) return
    this.#isUnderWay = true
    this.#loop
      .submit((decision) => {
        decision.emit({ type: 'LeaseRenewed', term: decision.views.facts.now.term, leaseMs: this.#leaseMs })
      })
      // When it cannot be written, the loop says so; when another one leads by now, the loop has stopped.
      .catch(() => undefined)
      .finally(() => {
        this.#isUnderWay = false
        // Otherwise a renewal would count as work, and every other one be left out.
        this.#hasTicked = false
      })
  }
}
