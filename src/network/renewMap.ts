/**
 * Signs the map of a network anew, with the next serial and another expiry, and nothing else changed.
 */
import { readFileSync } from 'node:fs'
import { expiryAfter, signNetworkMap } from '../identity/SignedNetworkMap.js'
import type { KeyFileOptions } from '../keys/KeyFile.js'
import { writeWhole } from '../storage/writeWhole.js'
import { instantFromMillis, type Instant } from '../time/Instant.js'
import { systemClock } from '../time/SystemClock.js'
import { handOut, mapMode, rootKeyOf, withNetwork, type MapChange } from './addParty.js'
import { networkFiles, readNetworkMap } from './NetworkFolder.js'
import { textOfMap } from './PartySeat.js'

/** What a renewal has changed in a network. */
export type RenewedMap = MapChange & { readonly expiresAt: Instant }

export const renewMap = (networkFolder: string, options: KeyFileOptions = {}): Promise<RenewedMap> =>
  withNetwork(networkFolder, (path) => {
    const files = networkFiles(path)
    const { terms } = readNetworkMap(files.map, readFileSync(files.root, 'utf8'), files.root)
    const at = instantFromMillis(systemClock.now())
    const expiresAt = expiryAfter(at)
    const rootKey = rootKeyOf(path, terms, options)
    const signed = signNetworkMap({ ...terms, serial: terms.serial + 1, madeAt: at, expiresAt }, rootKey)
    const map = textOfMap(signed)
    writeWhole(files.map, map, mapMode)
    return Promise.resolve({ serial: signed.map.serial, expiresAt, ...handOut(path, signed.map, map) })
  })
