/**
 * Reading a store folder from outside its node: whether a node runs on it or not, what is read is one committed
 * state of the views, and nothing is written.
 */
import { existsSync } from 'node:fs'
import type { RestoredMark } from '../engine/RestoredMark.js'
import { CarillonError } from '../errors/CarillonError.js'
import { SqliteLog } from '../logs/sqlite/SqliteLog.js'
import { openDatabase } from '../storage/sqlite/openDatabase.js'
import type { Database } from '../storage/Database.js'
import { findMark } from '../storage/readMark.js'
import { assertReadable } from '../storage/storeFormat.js'
import { storeFiles } from './StoreFolder.js'

const notFound = (folder: string): CarillonError =>
  new CarillonError(
    'store-not-found',
    `There is no store in ${folder}. Name its folder with --store, or make one with "carillon run <app-module>".`,
    { folder },
  )

/** Refuses a folder that holds no store, before anything could make one there. */
export const assertStore = (folder: string): void => {
  if (!existsSync(storeFiles(folder).database)) throw notFound(folder)
}

const open = (folder: string): Database => {
  assertStore(folder)
  const { database } = storeFiles(folder)
  const db = openDatabase(database, { readOnly: true })
  try {
    db.exec('PRAGMA busy_timeout = 2000')
    assertReadable(db, database)
    // The very first start makes all tables in one commit; before that there is nothing to read.
    if (db.prepare("SELECT 1 AS found FROM sqlite_schema WHERE name = 'node_facts'").get() === undefined)
      throw notFound(folder)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Asks the views of a store. All questions of one call see the same moment. */
export const readStore = <A>(folder: string, read: (db: Database) => A): A => {
  const db = open(folder)
  try {
    db.exec('BEGIN')
    const answer = read(db)
    db.exec('COMMIT')
    return answer
  } finally {
    db.close()
  }
}

/** The mark of a store that holds its own log, if it has one. */
export const markOf = (folder: string): RestoredMark | undefined =>
  readStore(folder, (db) => findMark(db, storeFiles(folder).database))

/** The log of a store, for reading. */
export const openStoreLog = (folder: string): SqliteLog => {
  open(folder).close()
  return SqliteLog.openReadOnly(storeFiles(folder).database)
}
