/**
 * A lock on a file that one process at a time holds. The operating system keeps it, so it is gone the moment its process
 * is, however that ends.
 */
import { CarillonError } from '../../errors/CarillonError.js'
import { keepPrivate } from './keepPrivate.js'
import { openDatabase } from './openDatabase.js'
import { storeFailure } from './storeFailure.js'
import type { Database } from '../Database.js'

/**
 * The locks this process holds. Referring to them here keeps the garbage collector from closing, and so from
 * giving up, the lock of a node that nobody refers to any more.
 */
const held = new Set<Database>()

/** Takes the lock and says how to give it back; undefined when someone else holds it. */
export const takeFileLock = (file: string): (() => void) | undefined => {
  let db: Database
  try {
    // Whoever could open it could hold it.
    keepPrivate(file)
    db = openDatabase(file)
  } catch (error) {
    throw storeFailure(error, file)
  }
  try {
    db.exec('PRAGMA busy_timeout = 0')
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    const failure = storeFailure(error, file)
    if (failure.code === 'store-locked') return undefined
    throw failure
  }
  held.add(db)
  return () => {
    held.delete(db)
    db.close()
  }
}

/** Whether a process holds the lock on a file that is there. */
export const isFileLocked = (file: string): boolean => {
  const db = openDatabase(file, { readOnly: true })
  try {
    db.exec('PRAGMA busy_timeout = 0')
    db.prepare('SELECT count(*) FROM sqlite_schema').get()
    return false
  } catch (error) {
    if (error instanceof CarillonError && error.code === 'store-locked') return true
    throw error
  } finally {
    db.close()
  }
}
