/**
 * Tells followers that there is something new, by LISTEN and NOTIFY. What is new is read from the table; a
 * notification that is lost costs no more than the wait until the next look.
 */
import { sha256 } from '../../encoding/hash.js'
import { remoteLogLimits } from '../limits.js'
import { pause } from '../../engine/pause.js'
import type { PostgresAddress } from './PostgresAddress.js'
import { PostgresSession } from './PostgresSession.js'

export class PostgresNotifications {
  readonly #session: PostgresSession
  readonly #channel: string
  readonly #waiting = new Set<() => void>()
  #isNotifying = false
  #notifyAgain = false

  constructor(address: PostgresAddress, answerMs: number) {
    // The name of a channel is cut off at 63 characters, as the schema's is.
    this.#channel = `carillon_${sha256(address.schema).slice(0, 32)}`
    this.#session = new PostgresSession({
      address,
      answerMs,
      purpose: 'notifications',
      // A notification that is lost with the server need not be waited for.
      prepare: `SET synchronous_commit = off; LISTEN ${this.#channel}`,
      onNotification: () => this.#wakeAll(),
      onLost: () => this.#wakeAll(),
    })
  }

  /** Notifies all followers. Notifications that come while one is under way are sent as one. */
  notify(): void {
    if (this.#isNotifying) {
      this.#notifyAgain = true
      return
    }
    this.#isNotifying = true
    this.#session
      .query({ name: 'carillon_notify', text: 'SELECT pg_notify($1, $2)', values: [this.#channel, ''] })
      .catch(() => undefined)
      .finally(() => {
        this.#isNotifying = false
        if (!this.#notifyAgain) return
        this.#notifyAgain = false
        this.notify()
      })
  }

  /** Begins to listen; whoever looks at the table after this misses no notification. Without a connection, looks must do. */
  async listen(): Promise<void> {
    await this.#session.connect().catch(() => undefined)
  }

  /** Resolves at the next notification, when it is time for a look, or with the signal. */
  async next(signal: AbortSignal): Promise<void> {
    const woken = new AbortController()
    const wake = (): void => woken.abort()
    this.#waiting.add(wake)
    try {
      await pause(remoteLogLimits.logPollMs, AbortSignal.any([signal, woken.signal]))
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
