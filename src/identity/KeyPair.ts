/**
 * An Ed25519 key that can sign. The private half never leaves this object except into a key file, and the
 * object shows only its public half when it is printed or encoded.
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify, type KeyObject } from 'node:crypto'
import { isLeft } from 'fp-ts/lib/Either.js'
import { CarillonError } from '../errors/CarillonError.js'
import { PublicKeyC, type PublicKey } from './PublicKey.js'
import { isVerified, rememberVerified } from './verifiedSignatures.js'

/** A key that can sign. It shows only its public half when it is printed or encoded. */
export type KeyPair = {
  readonly publicKey: PublicKey
  /** Signs a text; the signature is base64. */
  readonly sign: (text: string) => string
  /** PKCS#8 PEM, for the key file alone. */
  readonly exportPrivate: () => string
}

// The fixed DER header of an Ed25519 SubjectPublicKeyInfo; the 32 key bytes follow it.
export const spkiHeader = '302a300506032b6570032100'

/** A key of node:crypto as Carillon writes it; undefined when it is not an Ed25519 key. */
export const publicKeyFrom = (key: KeyObject): PublicKey | undefined => {
  if (key.asymmetricKeyType !== 'ed25519') return undefined
  const der = key.export({ format: 'der', type: 'spki' }).toString('hex')
  const decoded = PublicKeyC.decode(`ed25519:${der.slice(spkiHeader.length)}`)
  return isLeft(decoded) ? undefined : decoded.right
}

const publicKeyOf = (privateKey: KeyObject): PublicKey => {
  const publicKey = publicKeyFrom(createPublicKey(privateKey))
  if (publicKey === undefined)
    throw new CarillonError(
      'signature-invalid',
      'The private key is not an Ed25519 key. Make one with generateKeyPair().',
    )
  return publicKey
}

const keyPairOf = (privateKey: KeyObject): KeyPair => {
  const publicKey = publicKeyOf(privateKey)
  return Object.freeze({
    publicKey,
    sign: (text: string) => sign(null, Buffer.from(text, 'utf8'), privateKey).toString('base64'),
    exportPrivate: () => privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    toJSON: () => ({ publicKey }),
  })
}

/** A new random key. */
// oxlint-disable-next-line carillon/inputs-only -- a key is made before there is a log, and no decision asks for one
export const generateKeyPair = (): KeyPair => keyPairOf(generateKeyPairSync('ed25519').privateKey)

/** The key in a PKCS#8 PEM, as {@link KeyPair} exports it. */
export const importKeyPair = (pem: string): KeyPair => keyPairOf(createPrivateKey(pem))

/** Text that is too long to be worth remembering a check of it: what is checked again and again is short. */
const longestTextKept = 1_000

// The fixed DER header of an Ed25519 PKCS#8 private key; the 32 seed bytes follow it.
const pkcs8Header = '302e020100300506032b657004220420'

/**
 * The key whose private half is these 32 bytes in hex. For tests and simulations that must repeat exactly: there the one who
 * verifies is in the same process, so what was signed is known to hold.
 */
export const keyPairFromSeed = (seedHex: string): KeyPair => {
  const pair = keyPairOf(
    createPrivateKey({ key: Buffer.from(pkcs8Header + seedHex, 'hex'), format: 'der', type: 'pkcs8' }),
  )
  return Object.freeze({
    ...pair,
    sign: (text: string) => {
      const signature = pair.sign(text)
      if (text.length + signature.length <= longestTextKept) rememberVerified({ by: pair.publicKey, text, signature })
      return signature
    },
  })
}

/** Reading a key takes longer than verifying with it, and most signatures come from few parties. */
const keysKept = 1_000
const keyObjects = new Map<PublicKey, KeyObject>()

const keyObjectOf = (key: PublicKey): KeyObject => {
  const known = keyObjects.get(key)
  if (known !== undefined) return known
  const object = createPublicKey({
    key: Buffer.from(spkiHeader + key.slice('ed25519:'.length), 'hex'),
    format: 'der',
    type: 'spki',
  })
  if (keyObjects.size >= keysKept) keyObjects.clear()
  keyObjects.set(key, object)
  return object
}

/** The one canonical text of 64 bytes in base64: what differs from it is no signature, whatever a lenient reader makes of it. */
const signaturePattern = /^[A-Za-z0-9+/]{85}[AQgw]==$/

/** Whether a text has the form of a signature. */
export const isSignatureText = (text: string): boolean => signaturePattern.test(text)

/** Whether `signature` was made over `text` by the holder of `key`. Malformed signatures are simply not valid. */
export const verifySignature = (key: PublicKey, text: string, signature: string): boolean => {
  if (!isSignatureText(signature)) return false
  const claimed = { by: key, text, signature }
  const isShort = text.length + signature.length <= longestTextKept
  if (isShort && isVerified(claimed)) return true
  try {
    const holds = verify(null, Buffer.from(text, 'utf8'), keyObjectOf(key), Buffer.from(signature, 'base64'))
    if (holds && isShort) rememberVerified(claimed)
    return holds
  } catch {
    return false
  }
}
