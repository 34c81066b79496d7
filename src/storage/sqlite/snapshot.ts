/**
 * A copy of a store's file, taken while its node runs, and marked as what it is.
 */
import type { Head } from '../../log/Tick.js'
import type { Instant } from '../../time/Instant.js'
import { readMark, writeMark } from '../readMark.js'
import { SqliteTicks } from '../SqliteTicks.js'
import { assertStoreFile } from '../storeFormat.js'
import { keepPrivate } from './keepPrivate.js'
import { openDatabase } from './openDatabase.js'
import { openWritable } from './openWritable.js'

/**
 * One committed state of a store's file as a file of its own, which nobody else can open from its first byte on. The writer of the
 * source is not held up.
 */
export const snapshot = (source: string, target: string): void => {
  assertStoreFile(source)
  keepPrivate(target)
  const db = openDatabase(source, { readOnly: true })
  try {
    db.exec('PRAGMA busy_timeout = 2000')
    db.prepare('VACUUM INTO ?').run(target)
  } finally {
    db.close()
  }
}

/** Marks a copy as a backup, and makes it one file without a write-ahead log. */
export const markSnapshot = (file: string, at: Instant): Head => {
  const db = openWritable(file)
  try {
    const head = new SqliteTicks(db).head()
    // What was marked before keeps its mark: a backup of a backup is as old as the first.
    if (readMark(db) === undefined) writeMark(db, { from: 'backup', at, revision: head.revision })
    db.exec('PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE')
    return head
  } finally {
    db.close()
  }
}
