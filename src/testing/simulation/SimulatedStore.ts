/**
 * A party's store in a simulation: a store like any other, whose writes fail where the simulation wants them to, and
 * which can be opened again as the next process would find it.
 */
import type { EncodedTick } from '../../log/Tick.js'
import type { TickStore } from '../../storage/TickStore.js'
import type { Database } from '../../storage/Database.js'
import type { DiskFaults } from './DiskFaults.js'

/** What a simulation wants to know about the writes of one party. */
export type StoreWatch = {
  /** A tick is in the log. */
  readonly onCommitted: (tick: EncodedTick) => void
  /** The views of a running node stand at the last tick. */
  readonly onViews: (db: Database) => void
  /** A tick is on its way to the disk while the next is decided. */
  readonly onHandedOver: () => void
  /** Such a tick did not reach the disk. */
  readonly onFailedHandOver: () => void
  /** A log elsewhere has refused a tick, because another process leads. */
  readonly onRefused: () => void
}

export type SimulatedStore = TickStore & {
  readonly faults: DiskFaults
  /** The process is killed: what is on its way to the disk arrives, or not. */
  readonly crash: () => void
  /** What was in memory only is gone. */
  readonly reopen: () => Promise<void>
  /** The history is over, and nobody looks at the store any more. A stopped node leaves it as it is. */
  readonly discard: () => Promise<void>
}
