/**
 * A running count on stderr for work that takes long, drawn a few times a second at most, with a bar where it is known
 * how much there is to do. It draws at once when it is told, because the work may not let any timer run.
 */
import type { Terminal } from './Terminal.js'

const betweenMs = 100
/** What is done sooner needs no count. */
const firstAfterMs = 500
const barLength = 24

/** How much of something is done, as a bar. */
export const bar = (done: number, total: number): string => {
  const share = Math.min(1, done / total)
  const full = Math.floor(share * barLength)
  return `${'█'.repeat(full)}${'░'.repeat(barLength - full)} ${Math.floor(share * 100)} %`
}

/** How far the work is, where that is measured by something else than what is counted: bytes of a file, time of a clock. */
export type Extent = { readonly total: number; readonly done: () => number }

export class ProgressBar {
  readonly #terminal: Terminal
  readonly #doing: string
  readonly #extent: number | Extent
  readonly #nowMs: () => number
  readonly #startedMs: number
  #nextMs: number

  /** An extent of 0 is one that nobody knows. */
  constructor(terminal: Terminal, doing: string, extent: number | Extent = 0, nowMs: () => number = Date.now) {
    this.#terminal = terminal
    this.#doing = doing
    this.#extent = extent
    this.#nowMs = nowMs
    this.#startedMs = nowMs()
    this.#nextMs = this.#startedMs + firstAfterMs
  }

  readonly count = (events: number): void => {
    const nowMs = this.#nowMs()
    if (nowMs < this.#nextMs) return
    this.#nextMs = nowMs + betweenMs
    const rate = Math.round((events / Math.max(1, nowMs - this.#startedMs)) * 1_000)
    const done = `${events.toLocaleString('en')} events, ${rate.toLocaleString('en')} a second`
    const extent = this.#extent
    const { total, done: far } = typeof extent === 'number' ? { total: extent, done: () => events } : extent
    this.#terminal.status(`${this.#doing}: ${total > 0 ? `${bar(far(), total)}, ` : ''}${done}`)
  }

  end(): void {
    this.#terminal.status('')
  }
}

/** Does something with a count beside it, and clears the count whatever happens. */
export const withProgress = async <A>(
  terminal: Terminal,
  doing: string,
  work: (count: (events: number) => void) => Promise<A>,
  extent?: number | Extent,
): Promise<A> => {
  const progress = new ProgressBar(terminal, doing, extent)
  try {
    return await work(progress.count)
  } finally {
    progress.end()
  }
}
