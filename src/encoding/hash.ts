/**
 * SHA-256 over text, in one shot. All hashes of Carillon are taken over text and written as lower-case hex,
 * so that any language with a JSON library can check them, and because this is the quickest form Node offers.
 */
import * as crypto from 'node:crypto'
import * as t from 'io-ts'

/** 64 lower-case hex digits. */
export interface HashBrand {
  readonly Hash: unique symbol
}

const hashPattern = /^[0-9a-f]{64}$/

/** Codec of a SHA-256 hash in hex. */
export const HashC = t.brand(t.string, (text): text is t.Branded<string, HashBrand> => hashPattern.test(text), 'Hash')
/** A SHA-256 hash: 64 lower-case hex digits. */
export type Hash = t.TypeOf<typeof HashC>

const oneShot: ((text: string) => string) | undefined =
  // `crypto.hash` came with Node 20.12 and takes about half the time for short inputs.
  typeof crypto.hash === 'function' ? (text) => crypto.hash('sha256', text, 'hex') : undefined

/** The SHA-256 of a text's UTF-8 bytes. */
export const sha256: (text: string) => Hash = (oneShot ??
  ((text) => crypto.createHash('sha256').update(text).digest('hex'))) as (text: string) => Hash

/** From this length on a text is hashed where it lies: putting it together with another would cost more than its hash. */
export const longText = 16_384

/** The SHA-256 of a short text followed by one of any length, or by its bytes. */
export const sha256Of = (before: string, text: string | Uint8Array): Hash =>
  typeof text === 'string' && text.length < longText
    ? sha256(before + text)
    : (crypto.createHash('sha256').update(before).update(text).digest('hex') as Hash)

/** The SHA-512 of a text's UTF-8 bytes, in hex: for deriving several secrets from one at once. */
export const sha512: (text: string) => string =
  typeof crypto.hash === 'function'
    ? (text) => crypto.hash('sha512', text, 'hex')
    : (text) => crypto.createHash('sha512').update(text).digest('hex')

/** What the first link of a hash chain points back to. */
export const zeroHash: Hash = '0'.repeat(64) as Hash
