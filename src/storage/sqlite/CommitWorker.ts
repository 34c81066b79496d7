/**
 * Carries out the writes of a transaction beside the loop, while the loop decides the next tick. One transaction is under
 * way at a time. In production a thread does this; a simulation decides itself when a transaction is done, and how it ends.
 */
import type { SqlValue } from '../Database.js'

/** A statement and what it is given; statements are named by their place in a list both sides keep. */
export type Write = { readonly statement: number; readonly values: SqlValue[] }

/** What must hold for a transaction to be carried out, and what holds once it is: the first column of an answer. */
export type Guard = { readonly sql: string; readonly expected: SqlValue | undefined; readonly after: SqlValue }

export type WorkerOutcome =
  | { readonly kind: 'committed' }
  /** The guard did not hold; nothing was written. */
  | { readonly kind: 'refused' }
  /** Nothing was written. The error has SQLite's code, where it is one of SQLite's. */
  | { readonly kind: 'failed'; readonly error: unknown }

/** The worker has ended without an answer. What it had written by then, all or nothing, stays as it is. */
export type WorkerGone = { readonly kind: 'gone' }

/** Carries out a transaction at once, on the connection of the one who asks. `statements` are all that were ever prepared, in order. */
export type CarryOut = (guard: Guard, writes: readonly Write[], statements: readonly string[]) => WorkerOutcome

/** What {@link WriteBehind} hands its transactions to. */
export type CommitWorker = {
  /** Whether it can take a transaction at once. */
  readonly isReady: () => boolean
  /** Whether it has carried out all it was given. */
  readonly isWriterIdle: () => boolean
  /** Begins to carry out writes. `statements` are all that were ever prepared, in order. */
  readonly carryOut: (
    guard: Guard,
    writes: readonly Write[],
    statements: readonly string[],
    whenDone: (outcome: WorkerOutcome | WorkerGone) => void,
  ) => void
  /** Waits, without giving way, until the transaction under way has its outcome. */
  readonly await: () => void
  /** Resolves when it has let go of the database. */
  readonly stop: () => Promise<void>
}
