/**
 * What each party may send in a minute: messages and bytes, each from a bucket that holds a minute's worth and fills at a
 * steady rate. What is refused has been read, too, so no more is read of a party meanwhile than it may send. It decides nothing
 * about the ledger, only when something is looked at, so it is not recorded.
 */
import type { PublicKey } from '../identity/PublicKey.js'
import type { SessionLimits } from '../session/limits.js'

type Bucket = { messages: number; bytes: number; atMs: number; heldUntilMs: number }

const minuteMs = 60_000

export class MemberBudgets {
  readonly #limits: Pick<SessionLimits, 'messagesPerMinute' | 'bytesPerMinute'>
  readonly #buckets = new Map<PublicKey, Bucket>()

  constructor(limits: Pick<SessionLimits, 'messagesPerMinute' | 'bytesPerMinute'>) {
    this.#limits = limits
  }

  /** Takes from what a party may send: 0 when there was as much, otherwise the milliseconds until there will be. */
  take(party: PublicKey, messages: number, bytes: number, nowMs: number): number {
    const { messagesPerMinute, bytesPerMinute } = this.#limits
    const full = { messages: messagesPerMinute, bytes: bytesPerMinute, atMs: nowMs, heldUntilMs: nowMs }
    const known = this.#buckets.get(party) ?? full
    // A clock that was set back gives nothing, and takes nothing.
    const share = Math.max(0, nowMs - known.atMs) / minuteMs
    const bucket = {
      messages: Math.min(messagesPerMinute, known.messages + share * messagesPerMinute),
      bytes: Math.min(bytesPerMinute, known.bytes + share * bytesPerMinute),
      atMs: nowMs,
      // A clock that was set back holds nobody for longer than a minute.
      heldUntilMs: Math.min(Math.max(known.heldUntilMs, nowMs), nowMs + minuteMs),
    }
    this.#buckets.set(party, bucket)
    // What is larger than a whole minute's worth needs all of it, and no more.
    const lackingMessages = Math.min(messages, messagesPerMinute) - bucket.messages
    const lackingBytes = Math.min(bytes, bytesPerMinute) - bucket.bytes
    if (lackingMessages > 0 || lackingBytes > 0) {
      const lacking = Math.max(lackingMessages / messagesPerMinute, lackingBytes / bytesPerMinute)
      return Math.max(1, Math.ceil(lacking * minuteMs))
    }
    bucket.messages -= messages
    bucket.bytes -= bytes
    return 0
  }

  /** Milliseconds until more is to be read of a party of which something was refused: as long as it would have taken to be sent. */
  hold(party: PublicKey, messages: number, bytes: number, nowMs: number): number {
    const { messagesPerMinute, bytesPerMinute } = this.#limits
    const bucket = this.#buckets.get(party)
    if (bucket === undefined) return 0
    bucket.heldUntilMs += Math.max(messages / messagesPerMinute, bytes / bytesPerMinute) * minuteMs
    return Math.ceil(bucket.heldUntilMs - nowMs)
  }
}
