/**
 * Builds all views in a store's file anew from the log beside them, in one commit: an interruption leaves the old views.
 */
import type { Database } from './Database.js'
import { digestViews } from './digest.js'
import { LogFold } from './LogFold.js'
import { restoredTable } from './readMark.js'
import { SqliteTicks, ticksSchema } from './SqliteTicks.js'
import { openWritable } from './sqlite/openWritable.js'
import { assertStoreFile } from './storeFormat.js'
import { StoredViews, viewsSchema } from './StoredViews.js'

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

export const rebuildStore = (file: string, onProgress?: (events: number) => void): RebuildReport => {
  assertStoreFile(file)
  const db = openWritable(file)
  try {
    return rebuild(db, onProgress)
  } finally {
    // Closing gives up what was not committed.
    db.close()
  }
}
