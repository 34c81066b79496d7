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

export class Progress {
  readonly #terminal: Terminal
  readonly #doing: string
  readonly #total: number
  readonly #startedMs = Date.now()
  #nextMs = this.#startedMs + firstAfterMs

  /** `total` is 0 when nobody knows how much there is to do. */
  constructor(terminal: Terminal, doing: string, total = 0) {
    this.#terminal = terminal
    this.#doing = doing
    this.#total = total
  }

  readonly count = (events: number): void => {
    const nowMs = Date.now()
    if (nowMs < this.#nextMs) return
    this.#nextMs = nowMs + betweenMs
    const rate = Math.round((events / Math.max(1, nowMs - this.#startedMs)) * 1_000)
    const done = `${events.toLocaleString('en')} events, ${rate.toLocaleString('en')} a second`
    this.#terminal.status(`${this.#doing}: ${this.#total > 0 ? `${bar(events, this.#total)}, ` : ''}${done}`)
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
  total?: number,
): Promise<A> => {
  const progress = new Progress(terminal, doing, total)
  try {
    return await work(progress.count)
  } finally {
    progress.end()
  }
}
