/**
 * The limits of what the storage holds in memory and does at once.
 */
import type { LimitsLike } from '../limits.js'

const KiB = 1024

/** The limits of what the storage holds in memory and does at once. */
export const storageLimits = {
  /** From this size on a tick is committed by a thread, while the next is decided. */
  handedOverBytes: 64 * KiB,
  /** Due states that are read at once: enough for a dozen full ticks, which then need not wait for the tick before. */
  dueReadAhead: 4_096,
  /**
   * Rows of each view that stay in memory from one tick to the next. A tick that touches more leaves none behind; while
   * states that were read ahead wait for their turn, its states stay for one more tick.
   */
  rowsKept: 128,
  /** Messages that were sent and stay in memory until they are acknowledged. */
  sentKept: 10_000,
  /** States read ahead that stay in memory while some of them wait for their turn: four times as many as are read at once. */
  rowsKeptAhead: 16_384,
  /** Bytes of events folded in one commit when views are built from a log; between commits they are held in memory. */
  foldedBytesPerCommit: 8 * 1024 * KiB,
  /** A store up to this size has all its pages checked before it is opened: that takes some milliseconds. */
  pagesCheckedAtOnceBytes: 8 * 1024 * KiB,
  /**
   * A store up to this size decides nothing before all its pages are checked, less than a tenth of a second; a larger one as well,
   * unless the file system says that nobody has written to it since.
   */
  pagesAlwaysAwaitedBytes: 64 * 1024 * KiB,
  /** Transactions kept outside the sorted index; they are merged in one sorted sweep when they are this many. */
  unindexedKeys: 16_384,
} as const

/** The limits of the storage, as a node was given them. */
export type StorageLimits = LimitsLike<typeof storageLimits>

/** The limits of a question to the views. */
export const queryLimits = {
  /** States one aggregate may go over, so that it cannot keep the node from its ticks for long. */
  aggregatedStates: 100_000,
  /** Conjunctions an `or` is taken apart into, each of which is looked up in its own index. */
  branchesPerQuery: 16,
  /** Rows a query counts in an index before it takes the index for too wide to sort what it holds. */
  queryProbe: 2_000,
  /** Past occurrences looked at for one answer of the timeline; more than that is what the metrics are for. */
  timelineOccurrences: 50_000,
} as const
