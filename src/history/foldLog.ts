/**
 * Folds a log into views outside a node. Views are a function of the log alone, so whoever folds the same ticks
 * gets the same rows.
 */
import { decodeEvent } from '../log/decodeEvent.js'
import type { DomainEvent } from '../log/events.js'
import type { EncodedTick } from '../log/Tick.js'
import type { Database } from '../storage/Database.js'
import { TemporaryViews } from '../storage/TemporaryViews.js'

/** The events of a tick, decoded. */
export const decodedEvents = (tick: EncodedTick): readonly DomainEvent[] =>
  tick.events.map((line, index) => decodeEvent(line, tick.firstRevision + index))

/** Folds a log, from its first tick on, into fresh views, which the caller closes. */
export const foldLog = async (ticks: AsyncIterable<EncodedTick>): Promise<Database> => {
  const views = new TemporaryViews()
  try {
    await views.foldTo(ticks)
    return views.db
  } catch (error) {
    views.close()
    throw error
  }
}
