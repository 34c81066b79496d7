/**
 * The mark of a store that came out of a backup or an export, or was found to lack what others have seen: they may know of
 * things that happened here since. As long as it is there, nothing is written to the store. It lies in the database
 * itself, so that no way of copying loses it.
 */
import type { MarkOrigin, RestoredMark } from '../engine/RestoredMark.js'
import { instantFromMillis, toMillis } from '../time/Instant.js'
import type { Database } from './Database.js'

/** The table that holds it; whoever drops the views leaves it alone. */
export const restoredTable = 'restored'

const isOrigin = (text: unknown): text is MarkOrigin => text === 'backup' || text === 'export' || text === 'peers'

export const readMark = (db: Database): RestoredMark | undefined => {
  const isThere = db.prepare('SELECT 1 AS found FROM sqlite_schema WHERE name = ?').get(restoredTable) !== undefined
  const row = isThere ? db.prepare(`SELECT source, at_ms, revision FROM ${restoredTable}`).get() : undefined
  return row === undefined
    ? undefined
    : {
        from: isOrigin(row['source']) ? row['source'] : 'backup',
        at: instantFromMillis(Number(row['at_ms'])),
        revision: Number(row['revision']),
      }
}

/** A store that is restored again keeps the newer mark. */
export const writeMark = (db: Database, { from, at, revision }: RestoredMark): void => {
  db.exec(
    `DROP TABLE IF EXISTS ${restoredTable}; CREATE TABLE ${restoredTable} (one INTEGER PRIMARY KEY CHECK (one = 1), source TEXT NOT NULL, at_ms INTEGER NOT NULL, revision INTEGER NOT NULL) STRICT;`,
  )
  db.prepare(`INSERT INTO ${restoredTable} VALUES (1, ?, ?, ?)`).run(from, toMillis(at), revision)
}

export const removeMark = (db: Database): void => {
  db.exec(`DROP TABLE IF EXISTS ${restoredTable}`)
}
