/**
 * Where a node keeps its log and its views, seen from the loop: a tick begins, is written, and either stands
 * with everything it says or leaves no trace.
 */
import type { CarillonError } from '../errors/CarillonError.js'
import type { AppendOutcome } from '../log/EventLog.js'
import type { EncodedTick, Head } from '../log/Tick.js'
import type { Views } from './Views.js'
import type { RestoredMark } from './RestoredMark.js'

/** A tick that is on its way to the disk while the next one is decided. */
export type PendingCommit = {
  /**
   * What became of it; waits for that, without giving way to anything else. The tick is over either way, and if it does
   * not stand, neither does the one that was begun since: the views are again what the log says.
   */
  readonly outcome: () => AppendOutcome
  /** Calls back once it can land without waiting. */
  readonly whenDone: (callback: () => void) => void
}

/** Where a node keeps its log and its views. */
export type LoopStore = {
  readonly views: Views
  /** Whether the reader is a connection of its own, which can be asked while a tick is open. */
  readonly readsApart?: boolean
  readonly head: () => Head
  readonly begin: () => void
  /** Makes the tick durable together with the views, or says why not; then the tick is over either way. */
  readonly commit: (tick: EncodedTick) => AppendOutcome | Promise<AppendOutcome>
  /**
   * As `commit`, but goes on while the tick is written: the next may begin at once, and be decided as if this one stood.
   * It must not be committed, nor may anything of this one be released, before this one is committed. Undefined when the
   * store would rather commit it.
   */
  readonly handOver?: (tick: EncodedTick) => PendingCommit | undefined
  /** Whether a tick that is handed over now would be taken up at once. Undefined where ticks are never handed over. */
  readonly isWriterIdle?: () => boolean
  /** Rejects when the store is damaged. Everything is looked at, which takes a while. */
  readonly assertSound?: () => Promise<void>
  /** Ends the tick without a trace. */
  readonly rollback: () => void
  /** One tick by its number, from a copy this machine holds. */
  readonly tick: (number: number) => EncodedTick | undefined
  /** The log from the tick that holds a revision, up to the head of the moment. */
  readonly read: (fromRevision: number) => AsyncIterable<EncodedTick>
  /** What keeps the tick under way from being written, while the store waits for it to pass, or the log from being checked. */
  readonly trouble?: () => CarillonError | undefined
  /** Whether the log can be asked again, after a tick could not be written; rejects with what is still wrong. */
  readonly probeLog?: () => Promise<void>
  /**
   * Resolves when the views are known to be as they were written, and rejects when they are not; until then nothing is
   * decided but the start. Undefined where that is known already.
   */
  readonly whenSound?: (() => Promise<void>) | undefined
  /** Calls back when the log has found out by itself that it can be used no longer. */
  readonly onBroken?: (listener: (error: CarillonError) => void) => () => void
  /** Waits no longer for a log that does not answer: the tick under way ends with an error, and the node with it. */
  readonly abandon?: () => void
  /** Waits for the log again, after it was abandoned: the store may be read on, and the next node use it. */
  readonly resume?: () => void
  /** Marks the store, so that no node starts on it before someone has looked at it; or takes the mark away. */
  readonly mark?: (mark: RestoredMark | undefined) => void
  readonly close: () => Promise<void>
}
