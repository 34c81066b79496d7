/**
 * The version of the store's layout, kept in the file's own header. A file from a newer version is refused
 * before anything in it is touched.
 */
import { existsSync, statSync } from 'node:fs'
import { CarillonError } from '../errors/CarillonError.js'
import { openDatabase } from './sqlite/openDatabase.js'
import { removePageNotes } from './sqlite/pageNotes.js'
import { openWritable } from './sqlite/openWritable.js'
import type { Database } from './Database.js'

/** Counts up when the layout changes in a way an older version could not read. */
export const storeFormat = 6

/** "Cari" in ASCII: tells a Carillon store from any other SQLite file. */
const applicationId = 0x43617269

const pragma = (db: Database, name: string): number =>
  Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? { value: 0 })[0])

/** Refuses a file that is no store, or one of another version. */
export const assertReadable = (db: Database, file: string): void => {
  const tables = Number(db.prepare('SELECT count(*) AS tables FROM sqlite_schema').get()?.['tables'] ?? 0)
  if (tables === 0) return
  if (pragma(db, 'application_id') !== applicationId) {
    throw new CarillonError(
      'store-foreign',
      `${file} is a SQLite file, but not a Carillon store. Choose another folder.`,
      { file },
    )
  }
  const format = pragma(db, 'user_version')
  if (format < storeFormat)
    throw new CarillonError(
      'log-too-old',
      `${file} is of format ${format}, from before the first release; this version reads format ${storeFormat}. It cannot be read any more, and nothing was changed. Choose another folder to begin a new log.`,
      { file, format },
    )
  if (format > storeFormat) {
    throw new CarillonError(
      'log-too-new',
      `${file} was written in format ${format} by a newer version of Carillon; this version reads up to ${storeFormat}. Run the newer version.`,
      { file, format },
    )
  }
}

/**
 * Refuses a file that is no store, or one this version cannot read, without changing it. It is opened read-only
 * for that, because opening for writing already changes a file's header.
 */
export const assertStoreFile = (file: string): void => {
  if (file === ':memory:' || !existsSync(file) || statSync(file).size === 0) return
  const db = openDatabase(file, { readOnly: true })
  try {
    assertReadable(db, file)
  } finally {
    db.close()
  }
}

/** SQL that marks a file as a store of this version. Within a transaction it takes effect with the transaction. */
export const formatStamp = `PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${storeFormat};`

const isStamped = (db: Database): boolean =>
  pragma(db, 'application_id') === applicationId && pragma(db, 'user_version') === storeFormat

/** Whether what a store has committed outlives a power cut: it is synced before the commit returns. */
export const isEachCommitSynced = (): boolean => {
  const db = openStoreDatabase(':memory:', '')
  try {
    return pragma(db, 'synchronous') >= 2
  } finally {
    db.close()
  }
}

/** Opens a store's file for writing, making it if need be: schema and stamp at once, so no crash leaves half of them. */
export const openStoreDatabase = (file: string, schema: string): Database => {
  assertStoreFile(file)
  const db = openWritable(file)
  try {
    // Checkpoints are made, and noted, by a thread.
    if (file !== ':memory:') db.exec('PRAGMA wal_autocheckpoint = 0')
    // A stamp is a write even if it says the same, and a store that is only looked at should stay as it was.
    db.exec(`BEGIN IMMEDIATE; ${schema} ${isStamped(db) ? '' : formatStamp} COMMIT`)
    return db
  } catch (error) {
    // Closing may move pages that nobody notes; no checksums are better than old ones.
    if (file !== ':memory:') removePageNotes(file)
    db.close()
    throw error
  }
}
