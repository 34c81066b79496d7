/**
 * Changes the key with which a node signs. The change is an event of its log, signed by both keys; everything that the old
 * key has signed stays valid.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { CarillonError } from '../errors/CarillonError.js'
import { signKeyChange, type KeyChange } from '../identity/KeyChange.js'
import { generateKeyPair } from '../identity/KeyPair.js'
import type { EventLog } from '../log/EventLog.js'
import { keptOpen } from '../logs/keptOpen.js'
import { commitOffline, openOfflineTick } from './OfflineOperator.js'
import { assertStore } from './readStore.js'
import { openLogFolder, openStoreFolder, storeFiles } from './StoreFolder.js'
import { writeWhole } from '../storage/writeWhole.js'
import { readKeyFile, type KeyFileOptions } from '../keys/KeyFile.js'
import { finishRotation, recoverKey, replaceKey, writeNextKey } from '../keys/KeyRotation.js'

/** Where the key and the log of the node are, when they are not in the store's folder. */
export type RotateKeyOptions = KeyFileOptions & {
  /** The folder that holds the key file. Default: that of the store. */
  readonly keyFolder?: string
  /** The log, when it is kept elsewhere. It is left open. */
  readonly log?: EventLog
}

/** A change of key that was recorded. */
export type RotatedKey = {
  readonly change: KeyChange
  /** All changes of the node's key so far as a file, for whoever runs the network. */
  readonly file: string
}

/** The change is public: everyone in the network gets to know it. */
const changeMode = 0o644

/** Where a folder keeps its changes of key, to be handed to whoever runs the network. */
export const keyChangeFile = (folder: string): string => join(folder, 'key-change.json')

/** Changes the key of a node that does not run. Refused with `store-locked` while it does. */
export const rotateKey = async (folder: string, options: RotateKeyOptions = {}): Promise<RotatedKey> => {
  const { keyFolder = folder, log, ...keyOptions } = options
  const { key: keyFile } = storeFiles(keyFolder)
  if (log === undefined) assertStore(folder)
  recoverKey(keyFile, folder)
  if (!existsSync(keyFile))
    throw new CarillonError(
      'key-file-invalid',
      `There is no key in ${keyFolder}. Name the folder that holds the node's key, or change a key that your program keeps where it is kept.`,
      { file: keyFile },
    )
  const given = keyFolder === folder ? undefined : readKeyFile(keyFile, keyOptions)
  const { store, key, releaseHold } =
    log === undefined
      ? await openStoreFolder(folder, given, keyOptions)
      : await openLogFolder(folder, keptOpen(log), { key: given, keyOptions })
  try {
    await store.assertSound?.()
    const tick = openOfflineTick(store, key)
    const next = generateKeyPair()
    const change = signKeyChange(tick.network.id, tick.me.key, key, next)
    writeNextKey(keyFile, next, keyOptions)
    store.begin()
    tick.emit({ type: 'KeyChanged', change })
    await commitOffline(store, tick)
    replaceKey(keyFile)
    const file = keyChangeFile(keyFolder)
    const changes = store.views.maps.changes().filter(({ party }) => party === change.party)
    writeWhole(file, `${JSON.stringify(changes, undefined, 2)}\n`, changeMode)
    return { change, file }
  } catch (error) {
    // The append may have arrived although it was not answered; then the log names the next key.
    finishRotation(keyFile, store.views.facts.signer?.key)
    throw error
  } finally {
    await releaseHold()
  }
}
