/**
 * The mark of a store that came out of a backup or an export, or was found to lack what others have seen: they may know of
 * things that happened here since. As long as it is there, nothing is written to the store. It lies in the database
 * itself, so that no way of copying loses it.
 */
import type { MarkOrigin, RestoredMark } from '../engine/RestoredMark.js'
import { emptyHead } from '../log/Tick.js'
import { instantFromMillis, toMillis } from '../time/Instant.js'
import type { Database } from './Database.js'
import { isNotedFile, readPosition, type NotedPosition } from './PositionNote.js'
import { SqliteTicks } from './SqliteTicks.js'

/** The table that holds it; whoever drops the views leaves it alone. */
export const restoredTable = 'restored'

const isOrigin = (text: unknown): text is MarkOrigin => text === 'backup' || text === 'export' || text === 'peers'

const hasTable = (db: Database, name: string): boolean =>
  db.prepare('SELECT 1 AS found FROM sqlite_schema WHERE name = ?').get(name) !== undefined

export const readMark = (db: Database): RestoredMark | undefined => {
  const row = hasTable(db, restoredTable)
    ? db.prepare(`SELECT source, at_ms, revision FROM ${restoredTable}`).get()
    : undefined
  return row === undefined
    ? undefined
    : {
        from: isOrigin(row['source']) ? row['source'] : 'backup',
        at: instantFromMillis(Number(row['at_ms'])),
        revision: Number(row['revision']),
      }
}

/** The mark that a store has by what was noted beside its log: that it is a copy, or was cut off. */
const markByNote = (db: Database, database: string, position: NotedPosition): RestoredMark | undefined => {
  // Without its write-ahead log a young store has not even tables.
  const log = hasTable(db, 'log_ticks') ? new SqliteTicks(db) : undefined
  const { revision } = log?.head() ?? emptyHead
  const noted = { at: position.at, revision, noted: position.revision }
  if (revision < position.revision || log?.hashOf(position.tick) !== position.hash) return { from: 'shorter', ...noted }
  return position.isOpen && !isNotedFile(database, position) ? { from: 'copy', ...noted } : undefined
}

/** The mark of the store in a file that holds its own log: the one in the database, or by the note beside it. */
export const findMark = (db: Database, database: string): RestoredMark | undefined => {
  // Before the first look at the database: a node that runs may go on in between, and the note must not be ahead.
  const position = readPosition(database)
  return readMark(db) ?? (position === undefined ? undefined : markByNote(db, database, position))
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
