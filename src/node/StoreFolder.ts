/**
 * A node's folder: the store, the key, and the lock that keeps a second process out. The lock is held by the
 * operating system, so it is gone the moment its process is, however that ends.
 */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { CarillonError } from '../errors/CarillonError.js'
import { generateKeyPair, importKeyPair, type KeyPair } from '../identity/KeyPair.js'
import { openDatabase } from '../sqlite/openDatabase.js'
import { storeFailure } from '../sqlite/storeFailure.js'
import { EmbeddedStore } from './EmbeddedStore.js'

/** The files of a store folder. */
export const storeFiles = (folder: string) => ({
  database: join(folder, 'carillon.db'),
  key: join(folder, 'node.key'),
  lock: join(folder, 'lock.db'),
  holder: join(folder, 'holder.json'),
  socket: join(folder, 'control.sock'),
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
  const db = openDatabase(files.lock)
  try {
    db.exec('PRAGMA busy_timeout = 0')
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    const failure = storeFailure(error, files.lock)
    if (failure.code !== 'store-locked') throw failure
    throw new CarillonError(
      'store-locked',
      `The store ${folder} is held by ${holderText(files.holder)}. Stop that process, or choose another store.`,
      { folder },
    )
  }
  const holder: Holder = { pid: process.pid, host: hostname(), since: new Date().toISOString() }
  writeFileSync(files.holder, `${JSON.stringify(holder)}\n`, { mode: 0o600 })
  return () => {
    db.close()
  }
}

/** Before SQLite opens it: the files it lays beside the database, which hold the newest facts, get the same mode. */
const keepPrivate = (file: string): void => {
  closeSync(openSync(file, 'a', 0o600))
  chmodSync(file, 0o600)
}

const keyOf = (file: string): KeyPair => {
  if (existsSync(file)) return importKeyPair(readFileSync(file, 'utf8'))
  const made = generateKeyPair()
  writeFileSync(file, made.exportPrivate(), { mode: 0o600, flag: 'wx' })
  return made
}

export type OpenedFolder = {
  readonly store: EmbeddedStore
  readonly key: KeyPair
  readonly releaseHold: () => Promise<void>
}

export const openStoreFolder = (folder: string, key?: KeyPair): OpenedFolder => {
  const files = storeFiles(folder)
  try {
    if (!existsSync(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 })
    const unlock = lockFolder(folder)
    try {
      keepPrivate(files.database)
      const store = EmbeddedStore.open(files.database)
      return {
        store,
        key: key ?? keyOf(files.key),
        releaseHold: async () => {
          await store.close()
          unlock()
        },
      }
    } catch (error) {
      unlock()
      throw error
    }
  } catch (error) {
    throw storeFailure(error, folder)
  }
}
