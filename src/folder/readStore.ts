/**
 * Reading a store folder from outside its node: whether a node runs on it or not, what is read is one committed
 * state of the views, and nothing is written.
 */
import { existsSync } from 'node:fs'
import type { RestoredMark } from '../engine/RestoredMark.js'
import { CarillonError } from '../errors/CarillonError.js'
import { SqliteLog } from '../logs/sqlite/SqliteLog.js'
import { atOneMoment } from '../storage/atOneMoment.js'
import type { Database } from '../storage/Database.js'
import { findMark } from '../storage/readMark.js'
import { openReadable } from '../storage/sqlite/openReadable.js'
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
  const db = openReadable(storeFiles(folder).database)
  if (db === undefined) throw notFound(folder)
  return db
}

/** Asks the views of a store. All questions of one call see the same moment. */
export const readStore = <A>(folder: string, read: (db: Database) => A): A => {
  const db = open(folder)
  try {
    return atOneMoment(db, read)
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
