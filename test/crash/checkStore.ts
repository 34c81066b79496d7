/**
 * Folds the log of a store into fresh views and compares them, row by row, with the views the killed node left.
 */
import { LogBackedStore } from '../../src/node/LogBackedStore.js'
import { storeFiles } from '../../src/node/StoreFolder.js'
import { SqliteLog } from '../../src/log/sqlite/SqliteLog.js'
import { openDatabase } from '../../src/sqlite/openDatabase.js'
import { digestViews } from '../../src/views/digest.js'

export const checkRebuild = async (storeFolder: string): Promise<readonly string[]> => {
  const { database } = storeFiles(storeFolder)
  const left = openDatabase(database, { readOnly: true })
  const rebuilt = await LogBackedStore.open(SqliteLog.openReadOnly(database))
  try {
    const [before, after] = [digestViews(left), digestViews(rebuilt.reader)]
    return before === after ? [] : [`the views left by the node (${before}) differ from the rebuilt ones (${after})`]
  } finally {
    left.close()
    await rebuilt.close()
  }
}
