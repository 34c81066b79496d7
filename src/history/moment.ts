/**
 * A moment in a node's history: a revision, which means right after that event, or an instant, which means after the
 * last tick that was decided at or before it. A clock may be set back, so the last tick in log order is what counts.
 */
import type { EncodedTick } from '../log/Tick.js'
import { headAfter } from '../log/Tick.js'
import { revisionUnknown } from '../log/revisionUnknown.js'
import { tickRevisionAt } from '../storage/SqliteTicks.js'
import { readFacts } from '../storage/tables/NodeFactTable.js'
import { instant, toMillis, type Instant } from '../time/Instant.js'
import type { Database } from '../storage/Database.js'

/** A revision, or an instant. */
export type Moment = number | Instant

/** A moment as typed by a person: digits are a revision, everything else must be an instant. */
export const parseMoment = (text: string): Moment => (/^\d{1,15}$/.test(text) ? Number(text) : instant(text))

/** The revision a moment stands for, -1 before the first event; found while the log goes by. */
export const revisionAt = async (ticks: AsyncIterable<EncodedTick>, moment: Moment): Promise<number> => {
  if (typeof moment === 'number') return moment
  let revision = -1
  // Instants compare as the text they are.
  for await (const tick of ticks) if (tick.at <= moment) revision = headAfter(tick).revision
  return revision
}

/** The revision of a moment that a node's views have reached: by a query where the log lies beside them. */
export const revisionIn = async (
  node: {
    readonly readViews: <A>(read: (db: Database) => A) => Promise<A>
    readonly readLog: () => AsyncIterable<EncodedTick>
  },
  moment: Moment,
): Promise<number> => {
  const found = typeof moment === 'number' ? moment : await node.readViews((db) => tickRevisionAt(db, toMillis(moment)))
  const revision = found ?? (await revisionAt(node.readLog(), moment))
  const last = (await node.readViews(readFacts)).head.revision
  if (revision > last) throw revisionUnknown(revision, last)
  return revision
}
