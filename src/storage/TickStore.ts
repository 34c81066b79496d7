/**
 * A store that is open: the engine writes it tick by tick, and others read what is committed.
 */
import type { LoopStore } from '../engine/LoopStore.js'
import type { Database } from './Database.js'

/** A store that a node can be given: the log and the views of it, written tick by tick. */
export type TickStore = LoopStore & {
  /** A connection that sees committed views only. */
  readonly reader: Database
  /** The file of the committed views, where others may open connections of their own; undefined in memory. */
  readonly file?: string | undefined
}
