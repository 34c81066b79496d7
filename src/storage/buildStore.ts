/**
 * Builds the file of a store out of ticks, log and views together, beside the place where it belongs, and moves it there
 * once it is whole and on disk. Whoever interrupts it finds what was there before.
 */
import { renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import type { RestoredMark } from '../engine/RestoredMark.js'
import { emptyHead, type EncodedTick, type Head } from '../log/Tick.js'
import { digestViews } from './digest.js'
import { syncPath } from './syncPath.js'
import type { Database } from './Database.js'
import type { StorageLimits } from './limits.js'
import { LogFold } from './LogFold.js'
import { writeMark } from './readMark.js'
import { noteWholeDatabase, removePageNotes } from './sqlite/pageNotes.js'
import { openDatabase } from './sqlite/openDatabase.js'
import { openWritable } from './sqlite/openWritable.js'
import { SqliteTicks, ticksSchema } from './SqliteTicks.js'
import { StoredViews, viewsSchema } from './StoredViews.js'
import { assertStoreFile, formatStamp } from './storeFormat.js'

/** A tick, and how it becomes views: checked on the way, or checked before. */
export type TickToFold = { readonly tick: EncodedTick; readonly fold: (fold: LogFold) => void }

export type BuildOptions = {
  /** What the store is marked with when all of the log is in it. */
  readonly markAt?: (head: Head) => RestoredMark | undefined
  /** Whether a digest of the views is wanted. */
  readonly isDigested?: boolean
}

export type BuiltStore = { readonly head: Head; readonly digest: string }

/** How many events a store's file holds; none in a store that was opened but never started. */
export const eventsInStoreFile = (file: string): number => {
  assertStoreFile(file)
  const db = openDatabase(file, { readOnly: true })
  try {
    const isMade = db.prepare("SELECT 1 AS found FROM sqlite_schema WHERE name = 'log_ticks'").get() !== undefined
    return (isMade ? new SqliteTicks(db).head() : emptyHead).revision + 1
  } finally {
    db.close()
  }
}

export const removeDatabase = (file: string): void => {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${file}${suffix}`, { force: true })
}

/**
 * Writes ticks and the views they give to a database with the tables of a store and no rows, in one commit or several.
 * `beforeCommit` is called within the last.
 */
export const fillStore = async (
  db: Database,
  ticks: AsyncIterable<TickToFold> | Iterable<TickToFold>,
  limits?: StorageLimits,
  beforeCommit: (head: Head) => void = () => undefined,
): Promise<void> => {
  const log = new SqliteTicks(db)
  const views = new StoredViews(db, limits)
  const fold = new LogFold(views)
  db.exec('BEGIN IMMEDIATE')
  for await (const next of ticks) {
    next.fold(fold)
    log.insert(next.tick)
    if (!fold.isFull) continue
    fold.write()
    db.exec('COMMIT')
    db.exec('BEGIN IMMEDIATE')
    fold.committed()
  }
  fold.write()
  beforeCommit(views.facts.now.head)
  db.exec('COMMIT')
}

/** Builds a file that is not in its place yet. */
export const buildStore = async (
  file: string,
  ticks: AsyncIterable<TickToFold> | Iterable<TickToFold>,
  { markAt, isDigested = false }: BuildOptions,
): Promise<BuiltStore> => {
  const db = openWritable(file)
  try {
    // The file counts for nothing until it is whole, and is then synced as one.
    db.exec(`PRAGMA synchronous = OFF; ${ticksSchema} ${viewsSchema} ${formatStamp}`)
    let built: BuiltStore = { head: emptyHead, digest: '' }
    await fillStore(db, ticks, undefined, (head) => {
      const mark = markAt?.(head)
      if (mark !== undefined) writeMark(db, mark)
      built = { head, digest: isDigested ? digestViews(db) : '' }
    })
    db.exec('PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(TRUNCATE)')
    return built
  } finally {
    db.close()
  }
}

/** Puts a file that was built in its place, where there is none or one that nobody has open. */
export const moveInPlace = (built: string, database: string): void => {
  syncPath(built)
  // Without checksums for a moment, rather than with those of another file.
  removePageNotes(database)
  renameSync(built, database)
  noteWholeDatabase(database)
  syncPath(dirname(database))
}
