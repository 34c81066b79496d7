/**
 * A store that is open: the engine writes it tick by tick, and others read what is committed.
 */
import type { TickStore } from '../engine/TickStore.js'
import type { Database } from './Database.js'

export type OpenStore = TickStore & {
  /** A connection that sees committed views only. */
  readonly reader: Database
}
