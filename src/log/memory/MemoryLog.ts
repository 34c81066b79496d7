/**
 * A log in memory, for tests, simulation and forecast. It keeps the whole contract of the port except that it
 * does not outlive the process.
 */
import type { EventLog } from '../EventLog.js'
import { emptyHead, headAfter, type EncodedTick, type Head } from '../Tick.js'

/** A log that lives as long as its process. */
export class MemoryLog implements EventLog {
  readonly #ticks: EncodedTick[] = []
  readonly #followers = new Set<() => void>()

  get headNow(): Head {
    const last = this.#ticks.at(-1)
    return last === undefined ? emptyHead : headAfter(last)
  }

  readonly head = (): Promise<Head> => Promise.resolve(this.headNow)

  readonly append: EventLog['append'] = (expected, tick) => {
    const head = this.headNow
    if (head.hash !== expected.hash || head.revision !== expected.revision)
      return Promise.resolve({ kind: 'refused', head })
    this.#ticks.push(tick)
    for (const wake of [...this.#followers]) wake()
    return Promise.resolve({ kind: 'appended' })
  }

  /** The place of the first tick that ends at or after a revision. */
  #placeOf(revision: number): number {
    let low = 0
    let high = this.#ticks.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const tick = this.#ticks[middle]
      if (tick !== undefined && headAfter(tick).revision < revision) low = middle + 1
      else high = middle
    }
    return low
  }

  async *read(fromRevision: number): AsyncGenerator<EncodedTick> {
    const until = this.#ticks.length
    for (let place = this.#placeOf(fromRevision); place < until; place++) {
      const tick = this.#ticks[place]
      if (tick !== undefined) yield await Promise.resolve(tick)
    }
  }

  async *follow(fromRevision: number, signal: AbortSignal): AsyncGenerator<EncodedTick> {
    let place = this.#placeOf(fromRevision)
    while (!signal.aborted) {
      const tick = this.#ticks[place]
      if (tick !== undefined) {
        place += 1
        yield tick
        continue
      }
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          this.#followers.delete(wake)
          signal.removeEventListener('abort', wake)
          resolve()
        }
        this.#followers.add(wake)
        signal.addEventListener('abort', wake)
      })
    }
  }

  readonly close = (): Promise<void> => {
    for (const wake of [...this.#followers]) wake()
    return Promise.resolve()
  }
}
