/**
 * A token as its holder keeps it: `crl_`, its id, and a secret of 256 random bits. The node keeps the hash of the whole.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { TokenIdC, type TokenId } from '../operator/Token.js'
import { sha256, type Hash } from '../encoding/hash.js'
import { assertInvariant } from '../errors/CarillonError.js'

const secretBytes = 32
const idBytes = 6
const pattern = /^crl_([0-9a-f]{12})_[\w-]{43}$/

export type NewTokenText = { readonly id: TokenId; readonly text: string; readonly hash: Hash }

export const newTokenText = (): NewTokenText => {
  const id = randomBytes(idBytes).toString('hex')
  assertInvariant(TokenIdC.is(id), 'a token id is twelve hex digits')
  const text = `crl_${id}_${randomBytes(secretBytes).toString('base64url')}`
  return { id, text, hash: sha256(text) }
}

/** The id in a token; undefined when the text is none. */
export const idInToken = (text: string): string | undefined => pattern.exec(text)?.[1]

/** Compares in a time that says nothing about where two texts differ. */
export const sameText = (a: string, b: string): boolean =>
  // Of equal length, since both are hashed first.
  timingSafeEqual(Buffer.from(sha256(a)), Buffer.from(sha256(b)))
