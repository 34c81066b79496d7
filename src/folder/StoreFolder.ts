/**
 * A node's folder: the store, the key, and the lock that keeps a second process out. The lock is held by the
 * operating system, so it is gone the moment its process is, however that ends.
 */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { CarillonError } from '../errors/CarillonError.js'
import { generateKeyPair, type KeyPair } from '../identity/KeyPair.js'
import { keepPrivate } from '../storage/sqlite/keepPrivate.js'
import { openDatabase } from '../storage/sqlite/openDatabase.js'
import { pageNotesFile } from '../storage/sqlite/pageNotes.js'
import { storeFailure } from '../storage/sqlite/storeFailure.js'
import type { EventLog } from '../log/EventLog.js'
import type { NetworkId } from '../identity/NetworkId.js'
import { assertOwnLog } from './assertOwnLog.js'
import { removeForeign } from './removeForeign.js'
import type { Database } from '../storage/Database.js'
import { positionFile } from '../storage/PositionNote.js'
import { findMark, readMark } from '../storage/readMark.js'
import { showMark, type RestoredMark } from '../engine/RestoredMark.js'
import { EmbeddedStore, type EmbeddedStoreOptions } from '../storage/EmbeddedStore.js'
import { takeFileLock } from '../storage/sqlite/FileLock.js'
import { finishRotation, recoverKey } from '../keys/KeyRotation.js'
import { readKeyFile, writeKeyFile, type KeyFileOptions } from '../keys/KeyFile.js'
import type { StorageLimits } from '../storage/limits.js'
import { LogBackedStore } from '../storage/LogBackedStore.js'
import { silentLogger, type Logger } from '../engine/Logger.js'
import { readLogPlace, writeLogPlace } from './logPlace.js'
import { assertStoreFile } from '../storage/storeFormat.js'
import type { TickStore } from '../storage/TickStore.js'

/** The files of a store folder. */
export const storeFiles = (folder: string) => ({
  database: join(folder, 'carillon.db'),
  position: positionFile(join(folder, 'carillon.db')),
  pageNotes: pageNotesFile(join(folder, 'carillon.db')),
  key: join(folder, 'node.key'),
  lock: join(folder, 'lock.db'),
  holder: join(folder, 'holder.json'),
  socket: join(folder, 'control.sock'),
  logPlace: join(folder, 'log.json'),
  virtualTime: join(folder, 'virtual-time'),
  notReturned: join(folder, 'not-returned.json'),
  projections: join(folder, 'projections.db'),
})

type Holder = { readonly pid: number; readonly host: string; readonly since: string }

const holderText = (file: string): string => {
  try {
    const { pid, host, since } = JSON.parse(readFileSync(file, 'utf8')) as Holder
    return `process ${pid} on ${host}, since ${since}`
  } catch {
    return 'another process'
  }
}

/** Takes the lock, or says who holds it. */
export const lockFolder = (folder: string): (() => void) => {
  const files = storeFiles(folder)
  removeForeign(folder)
  const unlock = takeFileLock(files.lock)
  if (unlock === undefined)
    throw new CarillonError(
      'store-locked',
      `The store ${folder} is held by ${holderText(files.holder)}. Stop that process, or choose another store.`,
      { folder },
    )
  const holder: Holder = { pid: process.pid, host: hostname(), since: new Date().toISOString() }
  try {
    writeFileSync(files.holder, `${JSON.stringify(holder)}\n`, { mode: 0o600 })
  } catch (error) {
    unlock()
    throw storeFailure(error, files.holder)
  }
  return unlock
}

/** The key in the folder; a new one only for a store that has none yet, since a log is continued by its own key. */
const keyOf = (file: string, options: KeyFileOptions, store: TickStore): KeyPair => {
  finishRotation(file, store.views.facts.signer?.key)
  if (existsSync(file)) return readKeyFile(file, options)
  const owner = store.views.facts.now.partyKey
  if (owner !== null)
    throw new CarillonError(
      'store-foreign',
      `This store belongs to the key ${owner}, but its key file ${file} is missing. Put it back from a backup, or start the node with that key.`,
      { expected: owner, file },
    )
  const made = generateKeyPair()
  writeKeyFile(file, made, options)
  return made
}

/** A store that has been started has a key and a file with something in it; to begin anew there would lose it unseen. */
const assertNotEmptied = (files: ReturnType<typeof storeFiles>): void => {
  const isEmpty = statSync(files.database, { throwIfNoEntry: false })?.size === 0
  if (!isEmpty || !existsSync(files.key)) return
  throw new CarillonError(
    'store-corrupt',
    `${files.database} is empty, although this store has been used. Restore it from a backup, or import an export made with "carillon log export". If there never was anything in it, delete the file.`,
    { file: files.database },
  )
}

/** A key whose log is gone must not begin a second one. `hasOwnKey`: the key was made together with the store. */
const assertNotGone = (files: ReturnType<typeof storeFiles>, hasOwnKey: boolean): void => {
  if (existsSync(files.database)) return
  const trace = hasOwnKey && existsSync(files.key) ? files.key : files.position
  if (!existsSync(trace)) return
  throw new CarillonError(
    'store-corrupt',
    `${files.database} is missing, although this store has been used: ${trace} is still there. A node that began anew would sign a second history with the same key. Restore the store from a backup, import an export made with "carillon log export", or name the log if it is kept elsewhere. To begin anew for good, choose another folder.`,
    { file: files.database },
  )
}

export type OpenedFolder = {
  readonly store: TickStore
  readonly key: KeyPair
  readonly releaseHold: () => Promise<void>
}

/** Takes the folder, lets `openStore` open what is in it, and gives everything back when that goes wrong. */
const holdFolder = async (
  folder: string,
  openStore: (files: ReturnType<typeof storeFiles>) => TickStore | Promise<TickStore>,
  key: KeyPair | undefined,
  keyOptions: KeyFileOptions,
): Promise<OpenedFolder> => {
  const files = storeFiles(folder)
  try {
    if (!existsSync(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 })
    const unlock = lockFolder(folder)
    try {
      assertNotEmptied(files)
      const store = await openStore(files)
      try {
        return {
          store,
          key: key ?? keyOf(files.key, keyOptions, store),
          releaseHold: async () => {
            await store.close()
            unlock()
          },
        }
      } catch (error) {
        await store.close()
        throw error
      }
    } catch (error) {
      unlock()
      throw error
    }
  } catch (error) {
    throw storeFailure(error, folder)
  }
}

/** What was restored may be older than what others have seen; it is not written to before someone has made sure. */
const assertNotRestored = (
  folder: string,
  database: string,
  find: (db: Database, database: string) => RestoredMark | undefined,
): void => {
  if (!existsSync(database) || statSync(database).size === 0) return
  assertStoreFile(database)
  const db = openDatabase(database, { readOnly: true })
  try {
    const mark = find(db, database)
    if (mark === undefined) return
    throw new CarillonError(
      'store-restored',
      `The store in ${folder} ${showMark(mark)}, at revision ${mark.revision}. Others may have seen what happened since, so it is only read. Compare it with the checkpoints they keep ("carillon backup compare"), or, when nothing can be missing, tell it to go on ("carillon backup go-on").`,
      { folder, revision: mark.revision, at: mark.at },
    )
  } finally {
    db.close()
  }
}

/** Opens the embedded store of a folder. */
export const openStoreFolder = (
  folder: string,
  key?: KeyPair,
  keyOptions: KeyFileOptions = {},
  storeOptions: EmbeddedStoreOptions = {},
): Promise<OpenedFolder> =>
  holdFolder(
    folder,
    (files) => {
      const place = readLogPlace(files.logPlace)
      if (place !== undefined)
        throw new CarillonError(
          'store-foreign',
          `The log of the store in ${folder} is kept at ${place}; what is here are its views and a copy. Start the node with that log, and act on it while it runs.`,
          { folder, log: place },
        )
      assertNotGone(files, key === undefined)
      assertNotRestored(folder, files.database, findMark)
      keepPrivate(files.database)
      return EmbeddedStore.open(files.database, storeOptions)
    },
    key,
    keyOptions,
  )

/** Opens a folder that holds the views of a log kept elsewhere. The log is closed with the store. */
export const openLogFolder = (
  folder: string,
  log: EventLog,
  { key, keyOptions = {}, network, logger = silentLogger, isToWrite = true, limits }: LogFolderOptions = {},
): Promise<OpenedFolder> =>
  holdFolder(
    folder,
    async (files) => {
      if (isToWrite) assertNotRestored(folder, files.database, readMark)
      recoverKey(files.key, folder)
      const owner = key?.publicKey ?? (existsSync(files.key) ? readKeyFile(files.key, keyOptions).publicKey : undefined)
      await assertOwnLog(log, { key: owner, network })
      keepPrivate(files.database)
      const store = await LogBackedStore.open(log, files.database, {
        logger,
        ...(limits === undefined ? {} : { limits }),
      })
      writeLogPlace(files.logPlace, log.where ?? 'a log that was handed to the node')
      return store
    },
    key,
    keyOptions,
  )

export type LogFolderOptions = {
  readonly key?: KeyPair | undefined
  readonly keyOptions?: KeyFileOptions
  /** The network that the node is started in. */
  readonly network?: NetworkId | undefined
  readonly logger?: Logger
  /** Limits of the storage that differ from their defaults. */
  readonly limits?: Partial<StorageLimits> | undefined
  /** False for whoever lets a marked store go on. Default true. */
  readonly isToWrite?: boolean
}
