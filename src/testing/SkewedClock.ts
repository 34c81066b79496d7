/**
 * One node's own idea of the time: the network's virtual clock, and so much more or less. It can be set while the node
 * runs, as an operator or a time server would, forwards and backwards.
 */
import type { Clock } from '../time/Clock.js'

type Wait = { readonly atMs: number; readonly callback: () => void; cancel: () => void }

export class SkewedClock implements Clock {
  readonly isVirtual = true
  readonly #base: Clock
  readonly #waits = new Set<Wait>()
  #offsetMs = 0

  constructor(base: Clock) {
    this.#base = base
  }

  get offsetMs(): number {
    return this.#offsetMs
  }

  readonly now = (): number => this.#base.now() + this.#offsetMs

  readonly wakeAt = (atMs: number, callback: () => void): (() => void) => {
    const wait: Wait = { atMs, callback, cancel: () => undefined }
    this.#waits.add(wait)
    this.#arm(wait)
    return () => {
      this.#waits.delete(wait)
      wait.cancel()
    }
  }

  /** Sets the clock to so much ahead of the network's, or behind it when negative. */
  setOffset(offsetMs: number): void {
    this.#offsetMs = offsetMs
    for (const wait of [...this.#waits]) {
      wait.cancel()
      this.#arm(wait)
    }
  }

  #arm(wait: Wait): void {
    wait.cancel = this.#base.wakeAt(wait.atMs - this.#offsetMs, () => {
      this.#waits.delete(wait)
      wait.callback()
    })
  }
}
