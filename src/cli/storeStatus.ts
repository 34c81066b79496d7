/**
 * What there is to say about a store on one screen, read at one moment.
 */
import { countFlows } from '../storage/queries/readFlows.js'
import { readLogPlace } from '../folder/logPlace.js'
import { readMark } from '../storage/readMark.js'
import type { RestoredMark } from '../engine/RestoredMark.js'
import { readStore } from '../folder/readStore.js'
import { storeFiles } from '../folder/StoreFolder.js'
import { countAgenda, readAgenda } from '../storage/queries/readAgenda.js'
import type { AgendaEntry } from '../agenda/AgendaEntry.js'
import { countStates } from '../storage/queries/readVault.js'
import { readFacts } from '../storage/tables/NodeFactTable.js'
import type { NodeFacts } from '../log/NodeTables.js'

export type StoreStatus = {
  readonly store: string
  /** Where the log is kept, when not in the store. */
  readonly log?: string
  readonly facts: NodeFacts
  /** Set while the store is only read, because it came out of a backup or an export. */
  readonly restored?: RestoredMark
  readonly activities: ReturnType<typeof countAgenda>
  readonly next?: AgendaEntry
  readonly flows: ReturnType<typeof countFlows>
  readonly states: ReturnType<typeof countStates>
}

export const storeStatus = (store: string): StoreStatus =>
  readStore(store, (db) => {
    const log = readLogPlace(storeFiles(store).logPlace)
    const [next] = readAgenda(db, { limit: 1 }).items
    const restored = readMark(db)
    return {
      store,
      ...(log === undefined ? {} : { log }),
      facts: readFacts(db),
      ...(restored === undefined ? {} : { restored }),
      activities: countAgenda(db),
      ...(next === undefined ? {} : { next }),
      flows: countFlows(db),
      states: countStates(db),
    }
  })
