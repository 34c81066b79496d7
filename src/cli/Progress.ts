/**
 * A running count on stderr for work that takes long, drawn a few times a second at most. It draws at once when
 * it is told, because the work may not let any timer run.
 */
import type { Terminal } from './Terminal.js'

const betweenMs = 100
/** What is done sooner needs no count. */
const firstAfterMs = 500

export class Progress {
  readonly #terminal: Terminal
  readonly #doing: string
  #nextMs = Date.now() + firstAfterMs

  constructor(terminal: Terminal, doing: string) {
    this.#terminal = terminal
    this.#doing = doing
  }

  readonly count = (events: number): void => {
    const nowMs = Date.now()
    if (nowMs < this.#nextMs) return
    this.#nextMs = nowMs + betweenMs
    this.#terminal.status(`${this.#doing}: ${events.toLocaleString('en')} events`)
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
): Promise<A> => {
  const progress = new Progress(terminal, doing)
  try {
    return await work(progress.count)
  } finally {
    progress.end()
  }
}
