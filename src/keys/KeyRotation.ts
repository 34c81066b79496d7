/**
 * The files of a change of key. The next key is on disk before the log says that it signs, and takes the place of the old
 * one after that; whatever interrupts it, the key that the log names is found.
 */
import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { KeyPair } from '../identity/KeyPair.js'
import type { PublicKey } from '../identity/PublicKey.js'
import { readFacts } from '../storage/tables/NodeFactTable.js'
import { openDatabase } from '../storage/sqlite/openDatabase.js'
import { assertStoreFile } from '../storage/storeFormat.js'
import { publicKeyIn, readKeyFile, writeKeyFile, type KeyFileOptions } from './KeyFile.js'

/** `node.key` has its successor in `node-next.key`, until the log names it. */
const nextKeyFile = (file: string): string => file.replace(/\.key$/, '-next.key')

/** The key before the present one. It signs nothing more; connections may need it until there is a new certificate. */
export const retiredKeyFile = (file: string): string => file.replace(/\.key$/, '-retired.key')

/** Puts the next key on disk. One that was left over from an interrupted change is replaced: the log never named it. */
export const writeNextKey = (file: string, next: KeyPair, options: KeyFileOptions): void => {
  rmSync(nextKeyFile(file), { force: true })
  writeKeyFile(nextKeyFile(file), next, options)
}

/** Lets the next key take the place of the present one. */
export const replaceKey = (file: string): void => {
  if (existsSync(file)) renameSync(file, retiredKeyFile(file))
  renameSync(nextKeyFile(file), file)
}

/** The next key, where there is one. What cannot be read is none: the next change of key replaces it. */
const nextPublicKey = (file: string): PublicKey | undefined => {
  try {
    return publicKeyIn(nextKeyFile(file))
  } catch {
    return undefined
  }
}

/** Finishes a change of key that was interrupted after the log had named the next key. */
export const finishRotation = (file: string, signer: PublicKey | undefined): void => {
  if (signer !== undefined && nextPublicKey(file) === signer) replaceKey(file)
}

/** As {@link finishRotation}, before the store is opened: what its views say about the key counts. */
export const recoverKey = (file: string, storeFolder: string): void => {
  const database = join(storeFolder, 'carillon.db')
  if (!existsSync(nextKeyFile(file)) || !existsSync(database)) return
  assertStoreFile(database)
  const db = openDatabase(database, { readOnly: true })
  try {
    finishRotation(file, readFacts(db).signers.at(-1)?.key)
  } finally {
    db.close()
  }
}

/** The key of a file, or the one before it, whichever has a public key; undefined when neither has. */
export const keyWithPublic = (
  file: string,
  publicKey: PublicKey | undefined,
  options: KeyFileOptions,
): KeyPair | undefined =>
  [file, retiredKeyFile(file)]
    .filter((each) => existsSync(each))
    .map((each) => readKeyFile(each, options))
    .find((key) => key.publicKey === publicKey)
