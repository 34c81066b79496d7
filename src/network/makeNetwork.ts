/**
 * Makes a network: a root, and for every party a folder with its key, its certificate and the signed map. The root's
 * own key lies beside them; only it can let another party in, so in earnest it is kept elsewhere.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { CarillonError } from '../errors/CarillonError.js'
import { generateKeyPair } from '../identity/KeyPair.js'
import type { Member, NotaryKind } from '../identity/NetworkMap.js'
import { expiryAfter, signNetworkMap } from '../identity/SignedNetworkMap.js'
import { storeFailure } from '../storage/sqlite/storeFailure.js'
import { instantFromMillis } from '../time/Instant.js'
import { systemClock } from '../time/SystemClock.js'
import { writeKeyFile, type KeyFileOptions } from '../keys/KeyFile.js'
import { greatestPort, showAddress } from './address.js'
import { makeCertificate } from './certificate.js'
import { freePorts } from './freePorts.js'
import { makeSeat, textOfMap, writeSeat } from './PartySeat.js'
import { assertPartyNames } from './partyNames.js'

/** A party of a network that is to be made. */
export type NewMember = {
  readonly name: string
  /** Makes the party a notary of this kind. Default: it is none. */
  readonly notary?: NotaryKind
}

/** Who belongs to a network that is to be made. */
export type NewNetworkOptions = KeyFileOptions & {
  readonly members: readonly NewMember[]
  /** Where the nodes listen. Default 127.0.0.1. */
  readonly host?: string
  /** The port of the first party, the others follow. Default: free ports. */
  readonly firstPort?: number
}

/** A network that was made. */
export type NewNetwork = { readonly folder: string; readonly name: string; readonly members: readonly Member[] }

const assertFree = (folder: string): void => {
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new CarillonError('folder-not-empty', `${folder} already holds something. Choose another folder.`, { folder })
}

const portsOf = async (host: string, count: number, first: number | undefined): Promise<readonly number[]> => {
  if (first === undefined) return freePorts(host, count)
  if (first + count - 1 > greatestPort)
    throw new CarillonError('usage', `There are not ${count} ports from ${first} on; the last port is ${greatestPort}.`)
  return Array.from({ length: count }, (_, index) => first + index)
}

/** Makes a network in a folder: keys, certificates, and a map signed by its root. */
export const makeNetwork = async (folder: string, options: NewNetworkOptions): Promise<NewNetwork> => {
  const { host = '127.0.0.1', firstPort, members: wanted, ...keyOptions } = options
  if (wanted.length === 0)
    throw new CarillonError('usage', 'A network needs a party. Name some, as in --parties Alice,Bob.')
  assertPartyNames(wanted.map((member) => member.name))
  const path = resolve(folder)
  const name = basename(path)
  try {
    assertFree(path)
    const ports = await portsOf(host, wanted.length, firstPort)
    const at = instantFromMillis(systemClock.now())
    const rootKey = generateKeyPair()
    const root = { name: `${name} root`, key: rootKey.publicKey }
    const rootCertificate = makeCertificate({ subject: root, issuer: root, issuerKey: rootKey, at })
    const made = wanted.map(({ name: partyName, notary }, index) =>
      makeSeat({
        ...{ name: partyName, address: showAddress({ host, port: ports[index] ?? 0 }), root, rootKey, at },
        ...(notary === undefined ? {} : { notary }),
      }),
    )
    const members = made.map(({ member }) => member)
    const map = textOfMap(
      signNetworkMap(
        {
          ...{ name, salt: randomBytes(16).toString('hex'), serial: 1, members },
          ...{ madeAt: at, expiresAt: expiryAfter(at) },
        },
        rootKey,
      ),
    )
    mkdirSync(path, { recursive: true, mode: 0o700 })
    for (const seat of made) writeSeat(join(path, seat.member.party.name), seat, { rootCertificate, map }, keyOptions)
    writeKeyFile(join(path, 'root.key'), rootKey, keyOptions)
    writeFileSync(join(path, 'root.pem'), rootCertificate)
    // Last, so that a folder with a map holds a whole network.
    writeFileSync(join(path, 'network.json'), map)
    return { folder: path, name, members }
  } catch (error) {
    throw storeFailure(error, path)
  }
}
