/**
 * Folds a log into views outside a node. Views are a function of the log alone, so whoever folds the same ticks
 * gets the same rows.
 */
import { CarillonError } from '../../errors/CarillonError.js'
import { decodeEvent } from '../../log/decodeEvent.js'
import type { DomainEvent } from '../../log/events.js'
import { hashOfTick, headAfter, type EncodedTick, type Head } from '../../log/Tick.js'
import { openDatabase } from '../../sqlite/openDatabase.js'
import { toMillis } from '../../time/Instant.js'
import type { Database } from '../../views/Database.js'
import { Views, viewsSchema } from '../../views/Views.js'

/** The events of a tick, decoded. */
export const eventsOf = (tick: EncodedTick): readonly DomainEvent[] =>
  tick.events.map((line, index) => decodeEvent(line, tick.firstRevision + index))

/** A tick that does not follow from the ones before it must not become views. */
export const assertFollows = (head: Head, tick: EncodedTick): void => {
  const follows = tick.number === head.tick + 1 && tick.firstRevision === head.revision + 1
  if (follows && hashOfTick(head.hash, tick) === tick.hash) return
  throw new CarillonError(
    'log-altered',
    `Tick ${tick.number} of the log does not follow from revision ${head.revision}: the log was altered. Run "carillon log verify" to see what was changed, and restore the log from a backup or an export.`,
    { tick: tick.number, revision: tick.firstRevision },
  )
}

/** Applies a whole tick. The caller holds the database's transaction and commits when it sees fit. */
export const foldTick = (views: Views, tick: EncodedTick, events: readonly DomainEvent[]): void => {
  const atMs = toMillis(tick.at)
  events.forEach((event, index) => {
    views.fold(event, tick.firstRevision + index, atMs)
  })
  views.closeTick(headAfter(tick), atMs)
  views.committed()
}

/** Folds a log, from its first tick on, into fresh views in memory, which the caller closes. */
export const foldLog = async (ticks: AsyncIterable<EncodedTick>): Promise<Database> => {
  const db = openDatabase(':memory:')
  try {
    db.exec(viewsSchema)
    const views = new Views(db)
    for await (const tick of ticks) {
      assertFollows(views.facts.now.head, tick)
      foldTick(views, tick, eventsOf(tick))
    }
    return db
  } catch (error) {
    db.close()
    throw error
  }
}
