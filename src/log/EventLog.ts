/**
 * The port to a node's log: append at an expected head, read, follow. The log is the lock: of two writers
 * that expect the same head, exactly one is answered `appended`.
 */
import type { CarillonError } from '../errors/CarillonError.js'
import type { EncodedTick, Head } from './Tick.js'

/** What came of an append. */
export type AppendOutcome =
  /** Durable. */
  | { readonly kind: 'appended' }
  /** Another writer was there first; `head` is where the log really ends. */
  | { readonly kind: 'refused'; readonly head: Head }
  /** Certainly not appended, for a reason that may pass, such as a full disk. */
  | { readonly kind: 'failed'; readonly error: CarillonError }
  /** The acknowledgement was lost: read back by revision and hash before doing anything else. */
  | { readonly kind: 'unknown'; readonly error: CarillonError }

/**
 * The port to a log. Write an adapter against it to keep a log elsewhere. Every error that leaves an adapter is a
 * {@link CarillonError}, whichever method it leaves by.
 */
export type EventLog = {
  /** Where the log is kept, for messages; never with a password. */
  readonly where?: string
  readonly head: () => Promise<Head>
  /** Appends the tick that follows `expected`, whole or not at all. */
  readonly append: (expected: Head, tick: EncodedTick) => Promise<AppendOutcome>
  /** Ticks in order, from the one that holds `fromRevision`. Ends at the head of the moment. */
  readonly read: (fromRevision: number) => AsyncIterable<EncodedTick>
  /** As `read`, but goes on with new ticks as they are appended, without gap or repeat, until aborted. */
  readonly follow: (fromRevision: number, signal: AbortSignal) => AsyncIterable<EncodedTick>
  /**
   * Calls back when the log finds out by itself that it can be used no longer, such as when somebody has set its stream to
   * forget events. Every other call then fails with the same error.
   */
  readonly onBroken?: (listener: (error: CarillonError) => void) => () => void
  /**
   * Calls back when the log can be used but no longer be checked, such as when a right was taken away; and with undefined
   * when it can be checked again.
   */
  readonly onUnchecked?: (listener: (error: CarillonError | undefined) => void) => () => void
  /** Rejects when the log no longer keeps everything it was given. Asked before a standby leads. */
  readonly assertWhole?: () => Promise<void>
  readonly close: () => Promise<void>
}
