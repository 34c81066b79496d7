/**
 * A party's store in a simulation: a store like any other, whose writes fail where the simulation wants them to, and
 * which can be opened again as the next process would find it.
 */
import type { TickStore } from '../../node/TickStore.js'
import type { DiskFaults } from './DiskFaults.js'

export type SimulatedStore = TickStore & {
  readonly faults: DiskFaults
  /** What was in memory only is gone. */
  readonly reopen: () => Promise<void>
}
