/**
 * Builds the views of a store folder anew from its log.
 */
import { existsSync } from 'node:fs'
import { CarillonError } from '../errors/CarillonError.js'
import { lockFolder, storeFiles } from '../folder/StoreFolder.js'
import { rebuildStore, type RebuildReport } from '../storage/rebuildStore.js'
import { storeFailure } from '../storage/sqlite/storeFailure.js'

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
    return await rebuildStore(database, onProgress)
  } catch (error) {
    throw storeFailure(error, database)
  } finally {
    unlock()
  }
}
