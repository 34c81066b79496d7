/**
 * A clock that stands still until it is moved. Tests, simulation and forecast run on it; no real time passes.
 */
import type { Clock } from './Clock.js'
import { instantFromMillis, toMillis, type Instant } from './Instant.js'

type Wait = { readonly atMs: number; readonly callback: () => void; cancelled: boolean }

/** A clock that stands still until it is moved. */
export class VirtualClock implements Clock {
  readonly isVirtual = true
  #nowMs: number
  readonly #waits = new Set<Wait>()

  constructor(start: Instant) {
    this.#nowMs = toMillis(start)
  }

  readonly now = (): number => this.#nowMs

  get instant(): Instant {
    return instantFromMillis(this.#nowMs)
  }

  readonly wakeAt = (atMs: number, callback: () => void): (() => void) => {
    const wait: Wait = { atMs, callback, cancelled: false }
    this.#waits.add(wait)
    if (atMs <= this.#nowMs) this.#ring()
    return () => {
      wait.cancelled = true
      this.#waits.delete(wait)
    }
  }

  /** The earliest instant anyone waits for. */
  nextWakeMs(): number | undefined {
    let earliest: number | undefined
    for (const { atMs } of this.#waits) if (earliest === undefined || atMs < earliest) earliest = atMs
    return earliest
  }

  /** Sets the clock, forwards or backwards, and wakes whoever has waited for less. */
  setTo(nowMs: number): void {
    this.#nowMs = nowMs
    this.#ring()
  }

  #ring(): void {
    for (const wait of [...this.#waits]) {
      if (wait.atMs > this.#nowMs) continue
      this.#waits.delete(wait)
      // oxlint-disable-next-line carillon/inputs-only -- callbacks run after the caller, so that setting the clock never re-enters the loop
      queueMicrotask(() => {
        if (!wait.cancelled) wait.callback()
      })
    }
  }
}
