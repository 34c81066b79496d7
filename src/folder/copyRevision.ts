/**
 * Where the copy of a log ends that a store folder holds, for a log that was lost elsewhere.
 */
import { existsSync } from 'node:fs'
import { SqliteLog } from '../logs/sqlite/SqliteLog.js'
import { storeFiles } from './StoreFolder.js'

/** The last revision of the copy in a folder; undefined when there is none, or none that can be read. */
export const copyRevisionIn = async (folder: string): Promise<number | undefined> => {
  const { database } = storeFiles(folder)
  if (!existsSync(database)) return undefined
  try {
    const copy = SqliteLog.openReadOnly(database)
    try {
      return (await copy.head()).revision
    } finally {
      await copy.close()
    }
  } catch {
    // The error that led here says more.
    return undefined
  }
}
