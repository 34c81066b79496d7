/**
 * Reads views so that all questions see the same moment, also while a tick is committed by another connection.
 */
import type { Database } from './Database.js'

export const atOneMoment = <A>(db: Database, read: (db: Database) => A): A => {
  db.exec('BEGIN')
  try {
    return read(db)
  } finally {
    db.exec('COMMIT')
  }
}
