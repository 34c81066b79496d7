/**
 * Lets a network know that a party signs with another key: a certificate for that key, and a map with the next serial that
 * lists the change. What the old key has signed stays valid; nothing new that it signs is accepted any more.
 */
import { X509Certificate } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isLeft } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { decodeWith } from '../encoding/decode.js'
import { CarillonError, messageOf } from '../errors/CarillonError.js'
import { KeyChangeC } from '../identity/KeyChange.js'
import type { KeyPair } from '../identity/KeyPair.js'
import { expiryAfter, signNetworkMap, type NetworkTerms, type SignedNetworkMap } from '../identity/SignedNetworkMap.js'
import { instantFromMillis } from '../time/Instant.js'
import { systemClock } from '../time/SystemClock.js'
import type { KeyFileOptions } from '../keys/KeyFile.js'
import { fingerprintOf, makeCertificate } from './certificate.js'
import { writeWhole } from '../storage/writeWhole.js'
import { handOut, mapMode, rootKeyOf, withNetwork, type MapChange } from './addParty.js'
import { networkFiles, readNetworkMap } from './NetworkFolder.js'
import { textOfMap } from './PartySeat.js'

const KeyChangesC = t.readonlyArray(KeyChangeC)

/** What a change of key has changed in a network. */
export type ChangedPartyKey = MapChange & {
  readonly party: string
  /** The certificate of the new key, PEM: the party needs it in its folder. */
  readonly certificate: string
}

/** A map that its changes of keys make unusable is the fault of the changes. */
const signChanged = (terms: NetworkTerms, rootKey: KeyPair): SignedNetworkMap => {
  try {
    return signNetworkMap(terms, rootKey)
  } catch (error) {
    throw new CarillonError(
      'request-invalid',
      `The changes of key do not continue what the map lists: ${messageOf(error)} Hand over all changes of the party, as "carillon key changes" prints them.`,
      {},
      error,
    )
  }
}

/** Takes a party's changes of key, as `rotateKey` has written them, into the network in a folder; those it has it leaves. */
export const changePartyKey = (
  networkFolder: string,
  value: unknown,
  options: KeyFileOptions = {},
): Promise<ChangedPartyKey> =>
  withNetwork(networkFolder, (path) => {
    const decoded = decodeWith(KeyChangesC, Array.isArray(value) ? value : [value])
    if (isLeft(decoded))
      throw new CarillonError(
        'request-invalid',
        `This is not a change of key: ${decoded.left.slice(0, 3).join('; ')}. "carillon key rotate" writes one to key-change.json.`,
      )
    const [first] = decoded.right
    if (first === undefined) throw new CarillonError('request-invalid', 'There is no change of key in the file.')
    const files = networkFiles(path)
    const rootCertificate = readFileSync(files.root, 'utf8')
    const { terms } = readNetworkMap(files.map, rootCertificate, files.root)
    const member = terms.members.find(({ party }) => party.key === first.party)
    if (member === undefined)
      throw new CarillonError('party-unknown', `${first.party} is not a party of the network ${terms.name}.`, {
        key: first.party,
      })
    const listed = new Set(member.keyChanges?.map(({ to }) => to))
    const added = decoded.right.filter(({ to }) => !listed.has(to))
    const last = added.at(-1)
    if (last === undefined) {
      handOut(path, terms, readFileSync(files.map, 'utf8'))
      throw new CarillonError(
        'request-invalid',
        `Map ${terms.serial} of the network ${terms.name} lists this already. The parties whose folders are here have it.`,
        { serial: terms.serial },
      )
    }
    const rootKey = rootKeyOf(path, terms, options)
    const at = instantFromMillis(systemClock.now())
    const root = { name: `${terms.name} root`, key: terms.root }
    const { name } = member.party
    const certificate = makeCertificate({ subject: { name, key: last.to }, issuer: root, issuerKey: rootKey, at })
    const changed = {
      ...member,
      certificate: fingerprintOf(new X509Certificate(certificate)),
      keyChanges: [...(member.keyChanges ?? []), ...added],
    }
    const members = terms.members.map((each) => (each === member ? changed : each))
    const signed = signChanged(
      { ...terms, serial: terms.serial + 1, madeAt: at, expiresAt: expiryAfter(at), members },
      rootKey,
    )
    const map = textOfMap(signed)
    const own = networkFiles(join(path, name))
    if (existsSync(own.certificate)) writeWhole(own.certificate, certificate, mapMode)
    writeWhole(files.map, map, mapMode)
    return Promise.resolve({
      party: name,
      certificate,
      serial: signed.map.serial,
      ...handOut(path, signed.map, map),
    })
  })
