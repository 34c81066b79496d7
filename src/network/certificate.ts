/**
 * X.509 certificates whose key is a party's own Ed25519 key: whoever completes a handshake with one has proved to be
 * the party, with no other identity in between. The root of a network signs them.
 */
import { createPrivateKey, randomBytes, sign, X509Certificate } from 'node:crypto'
import { createRequire } from 'node:module'
import type * as AsnSchema from '@peculiar/asn1-schema'
import type * as AsnX509 from '@peculiar/asn1-x509'
import { publicKeyFrom, type KeyPair } from '../identity/KeyPair.js'
import type { Party } from '../identity/Party.js'
import type { PublicKey } from '../identity/PublicKey.js'
import { toMillis, type Instant } from '../time/Instant.js'

/** Loaded when a certificate is made, because few processes ever make one and loading takes long. */
const load = createRequire(import.meta.url)
type Asn = Omit<typeof AsnSchema & typeof AsnX509, 'default'>
const asn = (): Asn => ({
  ...(load('@peculiar/asn1-schema') as typeof AsnSchema),
  ...(load('@peculiar/asn1-x509') as typeof AsnX509),
})

const ed25519 = '1.3.101.112'
const commonName = '2.5.4.3'
/** The longest common name that X.509 allows. The name only helps people; the key is what counts. */
const longestName = 64
/** RFC 5280's date for "no end": a certificate holds for as long as the signed network map lists it. */
const noEnd = new Date('9999-12-31T23:59:59Z')
/** Machines' clocks differ; a certificate made now must hold on all of them. */
const clockSkewMs = 86_400_000

/** What a certificate is to say. */
export type CertificateRequest = {
  readonly subject: Party
  /** The party that signs; the subject itself for a root. */
  readonly issuer: Party
  readonly issuerKey: KeyPair
  readonly at: Instant
}

const nameOf = (
  { AttributeTypeAndValue, AttributeValue, Name, RelativeDistinguishedName }: Asn,
  { name }: Party,
): AsnX509.Name =>
  new Name([
    new RelativeDistinguishedName([
      new AttributeTypeAndValue({
        type: commonName,
        value: new AttributeValue({ utf8String: name.slice(0, longestName) }),
      }),
    ]),
  ])

const bytesOf = (key: PublicKey): ArrayBuffer => new Uint8Array(Buffer.from(key.slice('ed25519:'.length), 'hex')).buffer

const extensionsOf = (modules: Asn, isRoot: boolean): AsnX509.Extensions => {
  const { AsnConvert, BasicConstraints, ExtendedKeyUsage, Extension, Extensions, KeyUsage, KeyUsageFlags } = modules
  const extension = (extnID: string, critical: boolean, value: unknown): AsnX509.Extension =>
    new Extension({ extnID, critical, extnValue: new modules.OctetString(AsnConvert.serialize(value)) })
  const usage = (flags: AsnX509.KeyUsageFlags): AsnX509.Extension =>
    extension(modules.id_ce_keyUsage, true, new KeyUsage(flags))
  return new Extensions(
    isRoot
      ? [
          extension(modules.id_ce_basicConstraints, true, new BasicConstraints({ cA: true, pathLenConstraint: 0 })),
          usage(KeyUsageFlags.keyCertSign),
        ]
      : [
          extension(modules.id_ce_basicConstraints, true, new BasicConstraints({ cA: false })),
          usage(KeyUsageFlags.digitalSignature),
          extension(
            modules.id_ce_extKeyUsage,
            false,
            new ExtendedKeyUsage([modules.id_kp_serverAuth, modules.id_kp_clientAuth]),
          ),
        ],
  )
}

/** A positive number of 16 bytes. */
const serialNumber = (): ArrayBuffer => {
  const bytes = new Uint8Array(randomBytes(16))
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40
  return bytes.buffer
}

/** Makes a certificate and gives it as PEM. */
export const makeCertificate = ({ subject, issuer, issuerKey, at }: CertificateRequest): string => {
  const modules = asn()
  const { AlgorithmIdentifier, AsnConvert, Certificate, SubjectPublicKeyInfo, TBSCertificate, Validity } = modules
  const algorithm = new AlgorithmIdentifier({ algorithm: ed25519 })
  const tbs = new TBSCertificate({
    version: modules.Version.v3,
    serialNumber: serialNumber(),
    signature: algorithm,
    issuer: nameOf(modules, issuer),
    validity: new Validity({ notBefore: new Date(toMillis(at) - clockSkewMs), notAfter: noEnd }),
    subject: nameOf(modules, subject),
    subjectPublicKeyInfo: new SubjectPublicKeyInfo({ algorithm, subjectPublicKey: bytesOf(subject.key) }),
    extensions: extensionsOf(modules, subject.key === issuer.key),
  })
  const signature = sign(null, Buffer.from(AsnConvert.serialize(tbs)), createPrivateKey(issuerKey.exportPrivate()))
  const certificate = new Certificate({
    tbsCertificate: tbs,
    signatureAlgorithm: algorithm,
    signatureValue: new Uint8Array(signature).buffer,
  })
  return new X509Certificate(Buffer.from(AsnConvert.serialize(certificate))).toString()
}

/** The party key that a certificate carries; undefined when it carries a key of another kind. */
export const certifiedKey = (certificate: X509Certificate): PublicKey | undefined => {
  try {
    return publicKeyFrom(certificate.publicKey)
  } catch {
    // OpenSSL cannot make anything of the key.
    return undefined
  }
}

/** SHA-256 of the certificate, in hex, as the network map lists it. */
export const fingerprintOf = (certificate: X509Certificate): string =>
  certificate.fingerprint256.replaceAll(':', '').toLowerCase()
