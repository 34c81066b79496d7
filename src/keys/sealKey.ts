/**
 * A private key as it lies on disk: encrypted with AES-256-GCM under a key that scrypt makes of a secret. What is
 * not secret (the public half, the parameters) is covered by the seal too, so nothing of it can be exchanged.
 */
import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto'
import { isLeft } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { canonicalText } from '../encoding/canonical.js'
import { decodeWith } from '../encoding/decode.js'
import { IntegerC } from '../encoding/IntegerC.js'
import { CarillonError, messageOf } from '../errors/CarillonError.js'
import { importKeyPair, type KeyPair } from '../identity/KeyPair.js'
import { PublicKeyC } from '../identity/PublicKey.js'

/** What opens the seal: words a person knows, or a random secret in a file beside the key. */
export const UnlockC = t.keyof({ passphrase: null, secretFile: null })
export type UnlockMethod = t.TypeOf<typeof UnlockC>

const ScryptC = t.strict({ name: t.literal('scrypt'), cost: IntegerC, blockSize: IntegerC, salt: t.string })
type Scrypt = t.TypeOf<typeof ScryptC>

const PublicPartC = t.strict({
  format: t.literal('carillon-key'),
  version: t.literal(1),
  publicKey: PublicKeyC,
  unlock: UnlockC,
  kdf: ScryptC,
  cipher: t.strict({ name: t.literal('aes-256-gcm'), nonce: t.string }),
})
type PublicPart = t.TypeOf<typeof PublicPartC>

const SealedKeyC = t.intersection([PublicPartC, t.strict({ sealed: t.string, tag: t.string })], 'SealedKey')
export type SealedKey = t.TypeOf<typeof SealedKeyC>

/** A passphrase can be guessed, so each guess must cost 128 MiB; a random secret cannot, so opening it may be quick. */
const costs: Readonly<Record<UnlockMethod, number>> = { passphrase: 2 ** 17, secretFile: 2 ** 10 }
const greatestCost = 2 ** 20
const blockSize = 8

const deriveKey = (secret: string, { cost, blockSize: size, salt }: Scrypt): Buffer =>
  scryptSync(secret.normalize('NFKC'), Buffer.from(salt, 'base64'), 32, {
    N: cost,
    r: size,
    p: 1,
    maxmem: 256 * cost * size,
  })

const coveredText = ({ format, version, publicKey, unlock, kdf, cipher }: PublicPart): Buffer =>
  Buffer.from(canonicalText({ format, version, publicKey, unlock, kdf, cipher }), 'utf8')

export const sealKey = (key: KeyPair, secret: string, unlock: UnlockMethod): SealedKey => {
  const nonce = randomBytes(12)
  const open: PublicPart = {
    format: 'carillon-key',
    version: 1,
    publicKey: key.publicKey,
    unlock,
    kdf: { name: 'scrypt', cost: costs[unlock], blockSize, salt: randomBytes(16).toString('base64') },
    cipher: { name: 'aes-256-gcm', nonce: nonce.toString('base64') },
  }
  const cipher = createCipheriv('aes-256-gcm', deriveKey(secret, open.kdf), nonce)
  cipher.setAAD(coveredText(open))
  const sealed = Buffer.concat([cipher.update(key.exportPrivate(), 'utf8'), cipher.final()])
  return { ...open, sealed: sealed.toString('base64'), tag: cipher.getAuthTag().toString('base64') }
}

const invalid = (file: string, why: string): CarillonError =>
  new CarillonError(
    'key-file-invalid',
    `${file} is not a key file that can be used: ${why}. Restore it from a backup.`,
    { file },
  )

export const parseSealedKey = (text: string, file: string): SealedKey => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // The parser's message would quote the file.
    throw invalid(file, 'it is neither JSON nor PEM')
  }
  const decoded = decodeWith(SealedKeyC, value)
  if (isLeft(decoded)) throw invalid(file, 'its members are not those of a sealed key')
  const { cost, blockSize: size } = decoded.right.kdf
  const isPower = cost > 1 && (cost & (cost - 1)) === 0
  if (!isPower || cost > greatestCost || size < 1 || size > 32) throw invalid(file, 'its cost is out of bounds')
  return decoded.right
}

/** The key again. A wrong secret and an altered file cannot be told apart, and both end here. */
export const openSealedKey = (key: SealedKey, secret: string, file: string): KeyPair => {
  try {
    const cipher = createDecipheriv(
      'aes-256-gcm',
      deriveKey(secret, key.kdf),
      Buffer.from(key.cipher.nonce, 'base64'),
      {
        authTagLength: 16,
      },
    )
    cipher.setAAD(coveredText(key))
    cipher.setAuthTag(Buffer.from(key.tag, 'base64'))
    const pem = Buffer.concat([cipher.update(Buffer.from(key.sealed, 'base64')), cipher.final()]).toString('utf8')
    const opened = importKeyPair(pem)
    if (opened.publicKey !== key.publicKey) throw new Error('another key')
    return opened
  } catch (error) {
    if (/memory limit/i.test(messageOf(error))) throw invalid(file, 'its cost is more than this machine allows')
    throw new CarillonError(
      'key-passphrase-wrong',
      key.unlock === 'passphrase'
        ? `The passphrase does not open ${file}, or the file was altered. Check the passphrase.`
        : `The secret beside ${file} does not open it: one of the two was exchanged or altered. Restore both from the same backup.`,
      { file, publicKey: key.publicKey },
    )
  }
}
