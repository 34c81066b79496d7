/**
 * Which process holds a store folder, if any does. The lock says whether; the file beside it says who.
 */
import { existsSync, readFileSync } from 'node:fs'
import { isLeft } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { isFileLocked } from '../storage/sqlite/FileLock.js'
import { storeFiles } from './StoreFolder.js'

export const HolderC = t.strict({ pid: t.number, host: t.string, since: t.string })
export type Holder = t.TypeOf<typeof HolderC>

const unknownHolder: Holder = { pid: 0, host: 'unknown', since: 'unknown' }

/** Undefined when nobody holds the folder. */
export const holderOf = (folder: string): Holder | undefined => {
  const files = storeFiles(folder)
  if (!existsSync(files.lock) || !isFileLocked(files.lock)) return undefined
  try {
    const decoded = HolderC.decode(JSON.parse(readFileSync(files.holder, 'utf8')))
    return isLeft(decoded) ? unknownHolder : decoded.right
  } catch {
    // Between taking the lock and writing the file there is a moment without a name.
    return unknownHolder
  }
}
