/**
 * A store that is open: the engine writes it tick by tick, and others read what is committed.
 */
import type { LoopStore } from '../engine/LoopStore.js'
import type { Database } from './Database.js'
import type { OpenStore } from './OpenStore.js'

/** A store that a node can be given: the log and the views of it, written tick by tick. */
export type TickStore = LoopStore &
  OpenStore & {
    /** A connection that sees committed views only. */
    readonly reader: Database
  }
