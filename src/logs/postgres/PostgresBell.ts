/**
 * Tells followers that there is something new, by LISTEN and NOTIFY. It is only a call: what is new is read from the
 * table, and a call that is lost costs no more than the wait until the next look.
 */
import { sha256 } from '../../encoding/hash.js'
import { logsLimits } from '../limits.js'
import { pause } from '../../engine/pause.js'
import type { PostgresAddress } from './PostgresAddress.js'
import { PostgresSession } from './PostgresSession.js'

export class PostgresBell {
  readonly #session: PostgresSession
  readonly #channel: string
  readonly #waiting = new Set<() => void>()
  #isRinging = false
  #ringAgain = false

  constructor(address: PostgresAddress, answerMs: number) {
    // The name of a channel is cut off at 63 characters, as the schema's is.
    this.#channel = `carillon_${sha256(address.schema).slice(0, 32)}`
    this.#session = new PostgresSession({
      address,
      answerMs,
      purpose: 'bell',
      // A call that is lost with the server need not be waited for.
      prepare: `SET synchronous_commit = off; LISTEN ${this.#channel}`,
      onNotification: () => this.#wakeAll(),
      onLost: () => this.#wakeAll(),
    })
  }

  /** Tells all followers. Calls that come while one is under way are told as one. */
  ring(): void {
    if (this.#isRinging) {
      this.#ringAgain = true
      return
    }
    this.#isRinging = true
    this.#session
      .query({ name: 'carillon_ring', text: 'SELECT pg_notify($1, $2)', values: [this.#channel, ''] })
      .catch(() => undefined)
      .finally(() => {
        this.#isRinging = false
        if (!this.#ringAgain) return
        this.#ringAgain = false
        this.ring()
      })
  }

  /** Begins to listen; whoever looks at the table after this misses no call. Without a connection, looks must do. */
  async listen(): Promise<void> {
    await this.#session.connect().catch(() => undefined)
  }

  /** Resolves at the next call, when it is time for a look, or with the signal. */
  async next(signal: AbortSignal): Promise<void> {
    const woken = new AbortController()
    const wake = (): void => woken.abort()
    this.#waiting.add(wake)
    try {
      await pause(logsLimits.logPollMs, AbortSignal.any([signal, woken.signal]))
    } finally {
      this.#waiting.delete(wake)
    }
  }

  async close(): Promise<void> {
    await this.#session.close()
    this.#wakeAll()
  }

  #wakeAll(): void {
    for (const wake of [...this.#waiting]) wake()
  }
}
