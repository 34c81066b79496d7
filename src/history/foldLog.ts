/**
 * Folds a log into views outside a node. Views are a function of the log alone, so whoever folds the same ticks
 * gets the same rows.
 */
import { decodeEvent } from '../log/decodeEvent.js'
import type { DomainEvent } from '../log/events.js'
import type { EncodedTick } from '../log/Tick.js'
import { openDatabase } from '../storage/sqlite/openDatabase.js'
import type { Database } from '../storage/Database.js'
import { StoredViews, viewsSchema } from '../storage/StoredViews.js'
import { LogFold } from '../storage/LogFold.js'

/** The events of a tick, decoded. */
export const eventsOf = (tick: EncodedTick): readonly DomainEvent[] =>
  tick.events.map((line, index) => decodeEvent(line, tick.firstRevision + index))

/** Folds a log, from its first tick on, into fresh views in memory, which the caller closes. */
export const foldLog = async (ticks: AsyncIterable<EncodedTick>): Promise<Database> => {
  const db = openDatabase(':memory:')
  try {
    db.exec(viewsSchema)
    const fold = new LogFold(new StoredViews(db))
    db.exec('BEGIN')
    for await (const tick of ticks) {
      fold.fold(tick)
      if (!fold.isFull) continue
      fold.write()
      fold.committed()
    }
    fold.write()
    db.exec('COMMIT')
    return db
  } catch (error) {
    db.close()
    throw error
  }
}
