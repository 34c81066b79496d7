/**
 * Opens a SQLite file for writing with the settings durability rests on: WAL, and a sync of the disk before
 * every commit returns.
 */
import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Database } from '../Database.js'
import { keepPrivate } from './keepPrivate.js'
import { openDatabase } from './openDatabase.js'
import { storeFailure } from './storeFailure.js'

/**
 * Page cache in KiB (negative by SQLite's convention). With a million activities pending a larger one is no quicker: the
 * pages that are not in it are in the system's.
 */
const cacheSize = -24_576

/** After so many pages of the write-ahead log a commit moves them into the file itself, unless a thread has done it. */
const checkpointPages = 16_000

/** What every connection that writes is told first. */
export const writableSettings: readonly string[] = [
  'PRAGMA journal_mode = WAL',
  'PRAGMA synchronous = FULL',
  // On macOS a plain sync stops at the drive's own cache; elsewhere these change nothing.
  'PRAGMA fullfsync = 1',
  'PRAGMA checkpoint_fullfsync = 1',
  `PRAGMA cache_size = ${cacheSize}`,
  'PRAGMA temp_store = MEMORY',
  'PRAGMA busy_timeout = 2000',
  `PRAGMA wal_autocheckpoint = ${checkpointPages}`,
]

export const openWritable = (file: string): Database => {
  try {
    if (file !== ':memory:' && !existsSync(dirname(file))) mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    if (file !== ':memory:') keepPrivate(file)
    const db = openDatabase(file)
    for (const setting of writableSettings) db.exec(setting)
    return db
  } catch (error) {
    throw storeFailure(error, file)
  }
}
