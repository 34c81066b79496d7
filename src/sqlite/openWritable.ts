/**
 * Opens a SQLite file for writing with the settings durability rests on: WAL, and a sync of the disk before
 * every commit returns.
 */
import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Database } from '../views/Database.js'
import { openDatabase } from './openDatabase.js'
import { storeFailure } from './storeFailure.js'

/**
 * Page cache in KiB (negative by SQLite's convention). With a million activities pending a larger one is no quicker: the
 * pages that are not in it are in the system's.
 */
const cacheSize = -24_576

/** After so many pages of the write-ahead log a commit moves them into the file itself, unless a thread has done it. */
const checkpointPages = 16_000

export const openWritable = (file: string): Database => {
  try {
    if (file !== ':memory:' && !existsSync(dirname(file))) mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const db = openDatabase(file)
    db.exec('PRAGMA journal_mode = WAL')
    db.exec('PRAGMA synchronous = FULL')
    // On macOS a plain sync stops at the drive's own cache; elsewhere these change nothing.
    db.exec('PRAGMA fullfsync = 1')
    db.exec('PRAGMA checkpoint_fullfsync = 1')
    db.exec(`PRAGMA cache_size = ${cacheSize}`)
    db.exec('PRAGMA temp_store = MEMORY')
    db.exec('PRAGMA busy_timeout = 2000')
    db.exec(`PRAGMA wal_autocheckpoint = ${checkpointPages}`)
    return db
  } catch (error) {
    throw storeFailure(error, file)
  }
}
