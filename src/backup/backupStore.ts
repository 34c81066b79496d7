/**
 * Copies a store while its node runs, and makes a store out of such a copy. The copy is one committed state, verified
 * before it counts, and marked as what it is.
 */
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { CarillonError } from '../errors/CarillonError.js'
import type { PublicKey } from '../identity/PublicKey.js'
import type { Head } from '../log/Tick.js'
import { storeFailure } from '../storage/sqlite/storeFailure.js'
import { instantFromMillis } from '../time/Instant.js'
import { publicKeyIn } from '../keys/KeyFile.js'
import { recoverKey } from '../keys/KeyRotation.js'
import { syncPath } from '../storage/syncPath.js'
import { markSnapshot, snapshot } from '../storage/sqlite/snapshot.js'
import { offeredByLog } from '../history/copyLog.js'
import { makeStore } from '../history/importLog.js'
import { verifyLog } from '../history/verifyLog.js'
import { assertStore, openStoreLog, readStore } from '../folder/readStore.js'
import { storeFiles } from '../folder/StoreFolder.js'
import { readMark } from '../storage/readMark.js'

/** How far the check of a copy has come. */
export type BackupProgress = { readonly onVerified?: (events: number) => void }

const assertFree = (folder: string): void => {
  if (!existsSync(folder) || readdirSync(folder).length === 0) return
  throw new CarillonError(
    'folder-not-empty',
    `${folder} is not empty. Name a folder that is empty or does not exist.`,
    {
      folder,
    },
  )
}

const assertSound = async (
  folder: string,
  by: PublicKey | undefined,
  { onVerified }: BackupProgress,
): Promise<void> => {
  const log = openStoreLog(folder)
  try {
    const { problems } = await verifyLog(log.read(0), {
      ...(by === undefined ? {} : { by }),
      ...(onVerified === undefined ? {} : { onProgress: onVerified }),
    })
    const [problem] = problems
    if (problem === undefined) return
    throw new CarillonError(
      'log-altered',
      `The log in ${folder} is not sound at revision ${problem.revision}: ${problem.what}. Run "carillon log verify" there.`,
      { folder, revision: problem.revision },
    )
  } finally {
    await log.close()
  }
}

const copyKey = (from: string, to: string): void => {
  if (!existsSync(from)) return
  copyFileSync(from, to)
  chmodSync(to, 0o600)
  syncPath(to)
}

/**
 * Backs the store in `from` up into `to`, an empty or new folder, whether a node runs on it or not, whole or not at all:
 * log, views and the sealed key, but not the secret that opens it. Returns the head the backup stands at.
 */
export const backupStore = async (from: string, to: string, progress: BackupProgress = {}): Promise<Head> => {
  assertStore(from)
  recoverKey(storeFiles(from).key, from)
  const isNew = !existsSync(to)
  const [source, target] = [storeFiles(from), storeFiles(to)]
  const unfinished = `${target.database}.unfinished`
  let done = false
  try {
    assertFree(to)
    mkdirSync(to, { recursive: true, mode: 0o700 })
    snapshot(source.database, unfinished)
    const head = markSnapshot(unfinished, instantFromMillis(Date.now()))
    syncPath(unfinished)
    renameSync(unfinished, target.database)
    await assertSound(to, publicKeyIn(source.key), progress)
    copyKey(source.key, target.key)
    syncPath(to)
    done = true
    return head
  } catch (error) {
    throw storeFailure(error, to)
  } finally {
    if (!done && isNew) rmSync(to, { recursive: true, force: true })
    else if (!done && existsSync(unfinished)) rmSync(unfinished, { force: true })
  }
}

/**
 * Makes a store in `folder`, an empty or new one, out of a backup: its log is verified, and the views are folded from that.
 * The store can be read at once; a node runs on it only after {@link compareRestored} or {@link acceptRestored}.
 */
export const restoreStore = async (
  backup: string,
  folder: string,
  { onVerified }: BackupProgress = {},
): Promise<Head> => {
  assertStore(backup)
  assertFree(folder)
  recoverKey(storeFiles(backup).key, backup)
  const { key } = storeFiles(backup)
  const by = publicKeyIn(key)
  const mark = readStore(backup, readMark)
  const log = openStoreLog(backup)
  try {
    const head = await makeStore(offeredByLog(log), folder, {
      ...(by === undefined ? {} : { by }),
      ...(onVerified === undefined ? {} : { onProgress: onVerified }),
      markAt: ({ revision }) => mark ?? { from: 'backup', at: instantFromMillis(Date.now()), revision },
    })
    copyKey(key, storeFiles(folder).key)
    return head
  } finally {
    await log.close()
  }
}
