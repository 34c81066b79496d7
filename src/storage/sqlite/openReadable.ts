/**
 * Opens a store's file to be read beside the node that may write it. Nothing is written.
 */
import type { Database } from '../Database.js'
import { assertReadable } from '../storeFormat.js'
import { viewTables, viewsSchema } from '../StoredViews.js'
import { openDatabase } from './openDatabase.js'

/** A store that an older version has written lacks the tables that came later: they are read as if they were empty. */
const addLaterTables = (db: Database): void => {
  const known = new Set(
    db
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
      .all()
      .map(({ name }) => String(name)),
  )
  for (const table of viewTables.filter((name) => !known.has(name))) {
    const statement = viewsSchema.split(';').find((text) => text.includes(`CREATE TABLE IF NOT EXISTS ${table} (`))
    if (statement !== undefined) db.exec(statement.replace('CREATE TABLE IF NOT EXISTS', 'CREATE TEMP TABLE'))
  }
}

/** Undefined while the file has no tables: the very first start makes all of them in one commit. */
export const openReadable = (file: string): Database | undefined => {
  const db = openDatabase(file, { readOnly: true })
  try {
    db.exec('PRAGMA busy_timeout = 2000')
    assertReadable(db, file)
    if (db.prepare("SELECT 1 AS found FROM sqlite_schema WHERE name = 'node_facts'").get() !== undefined) {
      addLaterTables(db)
      return db
    }
  } catch (error) {
    db.close()
    throw error
  }
  db.close()
  return undefined
}
