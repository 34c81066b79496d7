/**
 * What there is to say about a store on one screen, read at one moment.
 */
import { countFlows } from '../flow/readFlows.js'
import { readLogPlace } from '../folder/logPlace.js'
import { readMark, type RestoredMark } from '../storage/RestoredMark.js'
import { readStore } from '../folder/readStore.js'
import { storeFiles } from '../folder/StoreFolder.js'
import { countAgenda, readAgenda, type AgendaEntry } from '../agenda/readAgenda.js'
import { countStates } from '../vault/readVault.js'
import { readFacts, type Facts } from '../storage/NodeFacts.js'

export type StoreStatus = {
  readonly store: string
  /** Where the log is kept, when not in the store. */
  readonly log?: string
  readonly facts: Facts
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
