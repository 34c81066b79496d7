/**
 * Lets a network know that a party signs with another key: a certificate for that key, and a map with the next serial that
 * lists the change. What the old key has signed stays valid; nothing new that it signs is accepted any more.
 */
import { X509Certificate } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isLeft } from 'fp-ts/lib/Either.js'
import { decodeWith } from '../../encoding/decode.js'
import { CarillonError } from '../../errors/CarillonError.js'
import { KeyChangeC } from '../../identity/KeyChange.js'
import { signNetworkMap } from '../../identity/SignedNetworkMap.js'
import { instantFromMillis } from '../../time/Instant.js'
import { systemClock } from '../../time/SystemClock.js'
import type { KeyFileOptions } from '../keys/KeyFile.js'
import { fingerprintOf, makeCertificate } from '../transports/certificate.js'
import { writeWhole } from '../writeWhole.js'
import { handOut, mapMode, rootKeyOf, withNetwork, type MapChange } from './addParty.js'
import { networkFiles, readNetworkMap } from './NetworkFolder.js'
import { textOfMap } from './PartySeat.js'

/** What a change of key has changed in a network. */
export type ChangedPartyKey = MapChange & {
  readonly party: string
  /** The certificate of the new key, PEM: the party needs it in its folder. */
  readonly certificate: string
}

/** Takes a party's change of key, as `rotateKey` has written it, into the network in a folder. */
export const changePartyKey = (
  networkFolder: string,
  value: unknown,
  options: KeyFileOptions = {},
): Promise<ChangedPartyKey> =>
  withNetwork(networkFolder, (path) => {
    const decoded = decodeWith(KeyChangeC, value)
    if (isLeft(decoded))
      throw new CarillonError(
        'request-invalid',
        `This is not a change of key: ${decoded.left.slice(0, 3).join('; ')}. "carillon key rotate" writes one to key-change.json.`,
      )
    const change = decoded.right
    const files = networkFiles(path)
    const rootCertificate = readFileSync(files.root, 'utf8')
    const { terms } = readNetworkMap(files.map, rootCertificate, files.root)
    const member = terms.members.find(({ party }) => party.key === change.party)
    if (member === undefined)
      throw new CarillonError('party-unknown', `${change.party} is not a party of the network ${terms.name}.`, {
        key: change.party,
      })
    if (member.keyChanges?.some(({ to }) => to === change.to) === true) {
      handOut(path, terms, readFileSync(files.map, 'utf8'))
      throw new CarillonError(
        'request-invalid',
        `Map ${terms.serial} of the network ${terms.name} lists this change already. The parties whose folders are here have it.`,
        { serial: terms.serial },
      )
    }
    const rootKey = rootKeyOf(path, terms, options)
    const at = instantFromMillis(systemClock.now())
    const root = { name: `${terms.name} root`, key: terms.root }
    const { name } = member.party
    const certificate = makeCertificate({ subject: { name, key: change.to }, issuer: root, issuerKey: rootKey, at })
    const changed = {
      ...member,
      certificate: fingerprintOf(new X509Certificate(certificate)),
      keyChanges: [...(member.keyChanges ?? []), change],
    }
    const members = terms.members.map((each) => (each === member ? changed : each))
    const signed = signNetworkMap({ ...terms, serial: terms.serial + 1, madeAt: at, members }, rootKey)
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
