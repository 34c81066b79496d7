/**
 * Judges the store a campaign left: the file is whole, the log verifies with every hash and signature in it, and
 * folding it into fresh views gives, row by row, the views the killed node kept.
 */
import { SqliteLog } from '../../src/logs/sqlite/SqliteLog.js'
import { LogBackedStore } from '../../src/storage/LogBackedStore.js'
import { verifyLog } from '../../src/history/verifyLog.js'
import { storeFiles } from '../../src/folder/StoreFolder.js'
import { openDatabase } from '../../src/storage/sqlite/openDatabase.js'
import type { Database } from '../../src/storage/Database.js'
import { digestViews } from '../../src/storage/digest.js'

const checkFile = (db: Database): readonly string[] => {
  const answers = db.prepare('PRAGMA integrity_check').all().flatMap(Object.values).map(String)
  return answers.join() === 'ok' ? [] : answers.map((answer) => `the store file is damaged: ${answer}`)
}

const checkLog = async (log: SqliteLog): Promise<readonly string[]> => {
  const { problems, transactions } = await verifyLog(log.read(0))
  const faults = problems.map(({ revision, what }) => `the log does not verify at revision ${revision}: ${what}`)
  return transactions === 0 ? [...faults, 'the log holds no transaction, so nothing was verified'] : faults
}

const checkViews = async (kept: Database, log: SqliteLog): Promise<readonly string[]> => {
  const rebuilt = await LogBackedStore.open(log)
  try {
    const [before, after] = [digestViews(kept), digestViews(rebuilt.reader)]
    return before === after ? [] : [`the views the node kept (${before}) differ from the rebuilt ones (${after})`]
  } finally {
    await rebuilt.close()
  }
}

export const checkStore = async (folder: string): Promise<readonly string[]> => {
  const { database } = storeFiles(folder)
  const kept = openDatabase(database, { readOnly: true })
  const log = SqliteLog.openReadOnly(database)
  try {
    // The store of the rebuilt views owns the log it was given, and closes it.
    return [...checkFile(kept), ...(await checkLog(log)), ...(await checkViews(kept, log))]
  } finally {
    kept.close()
  }
}
