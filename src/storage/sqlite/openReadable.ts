/**
 * Opens a store's file to be read beside the node that may write it. Nothing is written.
 */
import type { Database } from '../Database.js'
import { assertReadable } from '../storeFormat.js'
import { openDatabase } from './openDatabase.js'

/** Undefined while the file has no tables: the very first start makes all of them in one commit. */
export const openReadable = (file: string): Database | undefined => {
  const db = openDatabase(file, { readOnly: true })
  try {
    db.exec('PRAGMA busy_timeout = 2000')
    assertReadable(db, file)
    if (db.prepare("SELECT 1 AS found FROM sqlite_schema WHERE name = 'node_facts'").get() !== undefined) return db
  } catch (error) {
    db.close()
    throw error
  }
  db.close()
  return undefined
}
