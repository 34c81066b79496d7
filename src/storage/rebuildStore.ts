/**
 * Builds the views of a store anew from its log, in a file of their own that takes the place of the old one when it is
 * whole: whoever interrupts it finds the old views.
 */
import { CarillonError } from '../errors/CarillonError.js'
import { buildStore, moveInPlace, removeDatabase, type TickToFold } from './buildStore.js'
import type { Database } from './Database.js'
import { digestViews } from './digest.js'
import { isNotedFile, moveNote, readPosition } from './PositionNote.js'
import { readMark } from './readMark.js'
import { SqliteTicks } from './SqliteTicks.js'
import { openDatabase } from './sqlite/openDatabase.js'
import { openWritable } from './sqlite/openWritable.js'
import { removePageNotes } from './sqlite/pageNotes.js'
import { assertStoreFile } from './storeFormat.js'

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

/** The ticks of a damaged store: each is checked against its hash, and the last of each part against its signature. */
function* ticksOf(log: SqliteTicks, onProgress?: (events: number) => void): Generator<TickToFold> {
  for (const tick of log.from(1, 'events')) {
    yield {
      tick,
      fold: (fold) => {
        fold.fold(tick)
      },
    }
    onProgress?.(tick.firstRevision + tick.events.length)
  }
}

/** What is in the write-ahead log belongs to the file that is replaced, and would else be applied to the new one. */
const emptyWriteAheadLog = (database: string): void => {
  const db = openWritable(database)
  let busy: unknown
  try {
    removePageNotes(database)
    busy = Object.values(db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() ?? { busy: 0 })[0]
  } finally {
    db.close()
  }
  if (busy === 0) return
  throw new CarillonError(
    'store-locked',
    `Another process reads ${database}. Wait until it has ended, and rebuild the views then.`,
    { file: database },
  )
}

/** A damaged file is never written to: pages that belong to the log could be taken for free ones. */
const rebuild = async (database: string, onProgress?: (events: number) => void): Promise<RebuildReport> => {
  const building = `${database}.rebuilding`
  removeDatabase(building)
  // Read only: closing a connection that can write would move pages whose checksums nobody notes.
  const db = openDatabase(database, { readOnly: true })
  try {
    const before = digestOrNone(db)
    const mark = readMark(db)
    const built = await buildStore(building, ticksOf(new SqliteTicks(db), onProgress), {
      markAt: () => mark,
      isDigested: true,
    })
    return { before, after: built.digest, events: built.head.revision + 1 }
  } catch (error) {
    removeDatabase(building)
    throw error
  } finally {
    db.close()
  }
}

/** Rebuilds the views in a store's file, which nobody else may have open. */
export const rebuildStore = async (file: string, onProgress?: (events: number) => void): Promise<RebuildReport> => {
  assertStoreFile(file)
  const noted = readPosition(file)
  // A copy of a store stays marked as one.
  const isOwn = noted !== undefined && isNotedFile(file, noted)
  const report = await rebuild(file, onProgress)
  try {
    emptyWriteAheadLog(file)
    moveInPlace(`${file}.rebuilding`, file)
  } catch (error) {
    removeDatabase(`${file}.rebuilding`)
    throw error
  }
  if (isOwn) moveNote(file)
  return report
}
