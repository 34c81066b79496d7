/**
 * The ways in which one test server can be wrong, each of them a switch. A real server has been seen to do each.
 */

/** What the next append meets. */
export type AppendFault =
  /** Taken, but never answered. */
  | 'lost answer'
  /** Taken, and answered only when a test says so. */
  | 'late answer'
  /** Taken, and the connection is cut before the answer. */
  | 'cut after'
  /** The connection is cut before anything was taken. */
  | 'cut before'
  /** Never taken, never answered. */
  | 'lost request'
  /** The server met an error it does not name. */
  | 'unknown error'
  /** The disk is full: not taken, answered with a timeout, and the server ends itself. */
  | 'disk full'
  /** Taken, and answered with a message that says neither yes nor no. */
  | 'empty answer'

export class ServerFaults {
  readonly #appends: AppendFault[] = []
  readonly #late: (() => void)[] = []
  /** The server's limit for one append. */
  maxAppendBytes = 1024 * 1024
  /** Whether metadata and labels count against that limit, as on newer servers; on older ones the data alone do. */
  countsMetadata = false
  /** When set, nobody is let in. */
  denies = false
  /** When set, nobody may read what a stream is set to keep. */
  deniesMetadata = false
  /** When set, nobody may ask what the server supports. */
  deniesFeatures = false
  /** When set, nobody who asks what the server supports is answered. */
  hidesFeatures = false
  /** The server's limit for one event, as newer servers have it. */
  maxEventBytes = Number.POSITIVE_INFINITY
  /** Whether the server is so old that it does not know batch appends. */
  isOld = false

  /** What the next appends meet, one fault each. */
  next(...faults: readonly AppendFault[]): void {
    this.#appends.push(...faults)
  }

  /** What this append meets. */
  take(): AppendFault | undefined {
    return this.#appends.shift()
  }

  /** Keeps an answer back. */
  keepBack(answer: () => void): void {
    this.#late.push(answer)
  }

  /** Gives the answers that were kept back. */
  answerLate(): void {
    for (const answer of this.#late.splice(0)) answer()
  }
}
