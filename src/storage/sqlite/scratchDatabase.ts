/**
 * Databases in memory for what is folded only to be looked at. All of it happens in one transaction that is never
 * committed, so a database is empty again as soon as it is given back; making a new one takes far longer.
 */
import { ticksSchema } from '../SqliteTicks.js'
import { openDatabase } from './openDatabase.js'
import type { Database } from '../Database.js'
import { viewsSchema } from '../StoredViews.js'
import { nestedTransactions } from './nestedTransactions.js'

/** Those that are kept for whoever comes next. */
const mostKept = 8

const kept: Database[] = []

/** A database with the tables of a store, no rows, and an open transaction. */
export const takeScratch = (): Database => {
  let db = kept.pop()
  if (db === undefined) {
    db = openDatabase(':memory:')
    db.exec(`${ticksSchema} ${viewsSchema}`)
  }
  db.exec('BEGIN')
  return db
}

/** Gives a database back, with everything in it forgotten. */
export const giveBackScratch = (db: Database): void => {
  db.exec('ROLLBACK')
  if (kept.length < mostKept) kept.push(db)
  else db.close()
}

/** A scratch database for who has transactions of their own. It is given back when it is closed. */
export const takeScratchStore = (): Database => {
  const db = takeScratch()
  return nestedTransactions(db, () => {
    giveBackScratch(db)
  })
}
