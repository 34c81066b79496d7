/**
 * What a party needs to take part in a network: a key, a certificate of it by the network's root, and its line in the map.
 */
import { X509Certificate } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { generateKeyPair, type KeyPair } from '../identity/KeyPair.js'
import type { Member, NotaryKind } from '../identity/NetworkMap.js'
import type { Party } from '../identity/Party.js'
import type { SignedNetworkMap } from '../identity/SignedNetworkMap.js'
import type { Instant } from '../time/Instant.js'
import { writeKeyFile, type KeyFileOptions } from '../keys/KeyFile.js'
import { fingerprintOf, makeCertificate } from './certificate.js'
import { networkFiles } from './NetworkFolder.js'

export type PartySeat = {
  readonly key: KeyPair
  /** PEM. */
  readonly certificate: string
  readonly member: Member
}

type SeatOptions = {
  readonly name: string
  /** `host:port`. */
  readonly address: string
  readonly notary?: NotaryKind
  /** The network's root, as its own certificate names it. */
  readonly root: Party
  readonly rootKey: KeyPair
  readonly at: Instant
}

/** A party's seat with a fresh key. */
export const makeSeat = ({ name, address, notary, root, rootKey, at }: SeatOptions): PartySeat => {
  const key = generateKeyPair()
  const party = { name, key: key.publicKey }
  const certificate = makeCertificate({ subject: party, issuer: root, issuerKey: rootKey, at })
  const fingerprint = fingerprintOf(new X509Certificate(certificate))
  const member: Member = { party, address, certificate: fingerprint, ...(notary === undefined ? {} : { notary }) }
  return { key, certificate, member }
}

/** A map as its file holds it. */
export const textOfMap = (map: SignedNetworkMap): string => `${JSON.stringify(map, undefined, 2)}\n`

/** Writes a party's folder, which must not be there yet. */
export const writeSeat = (
  folder: string,
  { key, certificate }: PartySeat,
  { rootCertificate, map }: { readonly rootCertificate: string; readonly map: string },
  options: KeyFileOptions,
): void => {
  const files = networkFiles(folder)
  mkdirSync(folder, { mode: 0o700 })
  writeKeyFile(files.key, key, options)
  writeFileSync(files.certificate, certificate)
  writeFileSync(files.root, rootCertificate)
  writeFileSync(files.map, map)
}
