/**
 * Builds the views of a store anew from its log, in one commit: whoever interrupts it finds the old views.
 */
import { existsSync } from 'node:fs'
import { CarillonError } from '../errors/CarillonError.js'
import { SqliteTicks, ticksSchema } from '../storage/SqliteTicks.js'
import { openWritable } from '../storage/sqlite/openWritable.js'
import { storeFailure } from '../storage/sqlite/storeFailure.js'
import type { Database } from '../storage/Database.js'
import { digestViews } from '../storage/digest.js'
import { StoredViews, viewsSchema } from '../storage/StoredViews.js'
import { restoredTable } from '../storage/readMark.js'
import { assertStoreFile } from '../storage/storeFormat.js'
import { lockFolder, storeFiles } from '../folder/StoreFolder.js'
import { LogFold } from '../storage/LogFold.js'

/** What a rebuild of the views has done. */
export type RebuildReport = {
  /** Digest of the views as they were found; `unreadable` when they were too damaged to have one. */
  readonly before: string
  /** Digest of the views as the log gives them. It differs from `before` only if something altered them. */
  readonly after: string
  readonly events: number
}

const digestOrNone = (db: Database): string => {
  try {
    return digestViews(db)
  } catch {
    return 'unreadable'
  }
}

/** Everything in the file but the log is folded from it. */
const dropViews = (db: Database): void => {
  const tables = db
    .prepare(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('log_ticks', '${restoredTable}') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`,
    )
    .all()
  for (const { name } of tables) db.exec(`DROP TABLE "${String(name)}"`)
}

const rebuild = (db: Database, onProgress?: (events: number) => void): RebuildReport => {
  db.exec(`BEGIN IMMEDIATE; ${ticksSchema}`)
  const before = digestOrNone(db)
  dropViews(db)
  db.exec(viewsSchema)
  const views = new StoredViews(db)
  const fold = new LogFold(views)
  for (const tick of new SqliteTicks(db).from(1)) {
    fold.fold(tick)
    onProgress?.(views.facts.now.head.revision + 1)
    if (!fold.isFull) continue
    fold.write()
    fold.committed()
  }
  fold.write()
  const after = digestViews(db)
  db.exec('COMMIT')
  return { before, after, events: views.facts.now.head.revision + 1 }
}

/**
 * Rebuilds the views of the store in `folder`, which no node may hold meanwhile. Throws `log-altered`, and leaves
 * everything as it was, when the log itself is not sound.
 */
export const rebuildViews = async (folder: string, onProgress?: (events: number) => void): Promise<RebuildReport> => {
  const { database } = storeFiles(folder)
  if (!existsSync(database))
    throw new CarillonError(
      'store-not-found',
      `There is no store in ${folder}. Name the folder that holds carillon.db.`,
      { folder },
    )
  const unlock = lockFolder(folder)
  try {
    assertStoreFile(database)
    const db = openWritable(database)
    try {
      return await Promise.resolve(rebuild(db, onProgress))
    } finally {
      // Closing gives up what was not committed.
      db.close()
    }
  } catch (error) {
    throw storeFailure(error, database)
  } finally {
    unlock()
  }
}
