/**
 * The folder of one party of a network: its key, its certificate, the root it trusts and the map that the root has
 * signed. It is also the folder of the party's store, and can be moved to another machine as a whole.
 */
import { X509Certificate } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CarillonError, messageOf } from '../errors/CarillonError.js'
import type { KeyPair } from '../identity/KeyPair.js'
import type { Party } from '../identity/Party.js'
import type { PublicKey } from '../identity/PublicKey.js'
import { openNetworkMap } from '../identity/SignedNetworkMap.js'
import { networkLimits } from './limits.js'
import { readKeyFile, type KeyFileOptions } from '../keys/KeyFile.js'
import { storeFiles } from '../folder/StoreFolder.js'
import { keyWithPublic } from '../keys/KeyRotation.js'
import { certifiedKey } from './certificate.js'

/** The files of a party's folder, beside those of its store. */
export const networkFiles = (folder: string) => ({
  key: storeFiles(folder).key,
  certificate: join(folder, 'certificate.pem'),
  root: join(folder, 'root.pem'),
  map: join(folder, 'network.json'),
})

/** Where a store's party has its files of a network: the named folder, that of the store, or the one above it. */
export const networkFolderOf = (store: string, named?: string): string | undefined =>
  named ?? [store, dirname(store)].find((folder) => existsSync(networkFiles(folder).map))

/** A map whose signature, and whose contents, were verified. */
export type VerifiedMap = ReturnType<typeof openNetworkMap>

/** One party's folder of a network, opened and verified. */
export type NetworkFolder = {
  readonly folder: string
  readonly party: Party
  readonly key: KeyPair
  /** The key that its certificate carries: the one before, as long as there is no certificate for a changed key. */
  readonly transportKey: KeyPair
  readonly map: VerifiedMap
  /** PEM. */
  readonly certificate: string
  /** PEM. */
  readonly rootCertificate: string
}

/** The key of the root whose certificate a node was given. */
const rootKeyOf = (pem: string, file: string): PublicKey => {
  const invalid = (why: string): CarillonError =>
    new CarillonError('certificate-invalid', `${file} is not the certificate of a network's root: ${why}.`, { file })
  let certificate: X509Certificate
  try {
    certificate = new X509Certificate(pem)
  } catch (error) {
    throw invalid(messageOf(error))
  }
  const key = certifiedKey(certificate)
  if (key === undefined) throw invalid('it carries no Ed25519 key')
  if (!certificate.ca || !certificate.verify(certificate.publicKey)) throw invalid('it has not signed itself as a root')
  return key
}

const assertThere = (folder: string): void => {
  const missing = Object.values(networkFiles(folder)).filter((file) => !existsSync(file))
  if (missing.length === 0) return
  throw new CarillonError(
    'network-not-found',
    `${folder} is not the folder of a party of a network: ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing. Make a network with "carillon network new <folder>", and name one of its parties' folders.`,
    { folder },
  )
}

/** Reads a map and verifies it against the root whose certificate (PEM) is given. */
export const readNetworkMap = (file: string, rootCertificate: string, rootFile: string): VerifiedMap => {
  if (statSync(file).size > networkLimits.networkMapBytes)
    throw new CarillonError(
      'network-map-invalid',
      `The network map ${file} is larger than ${networkLimits.networkMapBytes} bytes.`,
      { where: file },
    )
  return openNetworkMap(readFileSync(file, 'utf8'), rootKeyOf(rootCertificate, rootFile), file)
}

/** The party that a map lists under a key. */
export const partyOf = ({ network, terms }: VerifiedMap, key: PublicKey, keyFile: string): Party => {
  const member = network.member(network.identityOf(key))
  if (member !== undefined) return member.party
  throw new CarillonError(
    'party-unknown',
    `The key in ${keyFile}, ${key}, is not a party of the network ${terms.name}. Ask the operator of the network for a map that lists it; after a change of key, hand over the changes ("carillon key changes") for "carillon network change-key".`,
    { key },
  )
}

/** The key in a certificate; undefined when it cannot be read, which whoever uses it says better. */
const certifiedKeyIn = (pem: string): PublicKey | undefined => {
  try {
    return certifiedKey(new X509Certificate(pem))
  } catch {
    return undefined
  }
}

/** Reads a party's folder and verifies that all of it belongs together. */
export const openNetworkFolder = (folder: string, options: KeyFileOptions = {}): NetworkFolder => {
  assertThere(folder)
  const files = networkFiles(folder)
  const rootCertificate = readFileSync(files.root, 'utf8')
  const map = readNetworkMap(files.map, rootCertificate, files.root)
  const key = readKeyFile(files.key, options)
  const party = partyOf(map, key.publicKey, files.key)
  const certificate = readFileSync(files.certificate, 'utf8')
  const transportKey = keyWithPublic(files.key, certifiedKeyIn(certificate), options) ?? key
  return { folder, party, key, transportKey, map, certificate, rootCertificate }
}
