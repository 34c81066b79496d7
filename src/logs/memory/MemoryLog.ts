/**
 * A log in memory, for tests, simulation and forecast. It keeps the whole contract of the port except that it
 * does not outlive the process.
 */
import type { EventLog } from '../../log/EventLog.js'
import { emptyHead, headAfter, type EncodedTick, type Head } from '../../log/Tick.js'

/** What all handles on one log share. */
type Shared = { readonly ticks: EncodedTick[]; readonly followers: Set<() => void> }

/** A log that lives as long as its process. */
export class MemoryLog implements EventLog {
  readonly #shared: Shared
  #closed = false

  /** @internal */
  constructor(shared: Shared = { ticks: [], followers: new Set() }) {
    this.#shared = shared
  }

  /** One more handle on the same log, as another process would have it. */
  another(): MemoryLog {
    return new MemoryLog(this.#shared)
  }

  get headNow(): Head {
    const last = this.#shared.ticks.at(-1)
    return last === undefined ? emptyHead : headAfter(last)
  }

  readonly head = (): Promise<Head> => Promise.resolve(this.headNow)

  readonly append: EventLog['append'] = (expected, tick) => {
    const head = this.headNow
    if (head.hash !== expected.hash || head.revision !== expected.revision)
      return Promise.resolve({ kind: 'refused', head })
    this.#shared.ticks.push(tick)
    this.#wakeAll()
    return Promise.resolve({ kind: 'appended' })
  }

  /** The place of the first tick that ends at or after a revision. */
  #placeOf(revision: number): number {
    let low = 0
    let high = this.#shared.ticks.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const tick = this.#shared.ticks[middle]
      if (tick !== undefined && headAfter(tick).revision < revision) low = middle + 1
      else high = middle
    }
    return low
  }

  async *read(fromRevision: number): AsyncGenerator<EncodedTick> {
    const until = this.#shared.ticks.length
    for (let place = this.#placeOf(fromRevision); place < until; place++) {
      const tick = this.#shared.ticks[place]
      if (tick !== undefined) yield await Promise.resolve(tick)
    }
  }

  async *follow(fromRevision: number, signal: AbortSignal): AsyncGenerator<EncodedTick> {
    let place = this.#placeOf(fromRevision)
    while (!signal.aborted && !this.#closed) {
      const tick = this.#shared.ticks[place]
      if (tick === undefined) {
        await this.#change(signal)
        continue
      }
      place += 1
      // From a revision that was not there yet, the place is only where the search for it begins.
      if (headAfter(tick).revision >= fromRevision) yield tick
    }
  }

  /** Resolves when a tick was appended, a handle was closed, or the signal is given. */
  #change(signal: AbortSignal): Promise<void> {
    const { followers } = this.#shared
    return new Promise((resolve) => {
      const wake = (): void => {
        followers.delete(wake)
        signal.removeEventListener('abort', wake)
        resolve()
      }
      followers.add(wake)
      signal.addEventListener('abort', wake)
    })
  }

  #wakeAll(): void {
    for (const wake of [...this.#shared.followers]) wake()
  }

  readonly close = (): Promise<void> => {
    this.#closed = true
    this.#wakeAll()
    return Promise.resolve()
  }
}
