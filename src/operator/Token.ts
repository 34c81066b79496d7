/**
 * A token as the log and its view know it: never the secret, only its hash. Whoever reads the whole store still
 * cannot use a token that is in it.
 */
import * as t from 'io-ts'
import { expecting } from '../encoding/expecting.js'
import type { Hash } from '../encoding/hash.js'
import { operatorLimits } from './limits.js'
import type { Instant } from '../time/Instant.js'

/** Marks text that was checked to be the id of a token. */
export interface TokenIdBrand {
  readonly TokenId: unique symbol
}

/** Twelve hex digits, which stand in the token itself and tell which one it is. */
export const TokenIdC = t.brand(
  t.string,
  (text): text is t.Branded<string, TokenIdBrand> => /^[0-9a-f]{12}$/.test(text),
  'TokenId',
)
/** The id of a token. */
export type TokenId = t.TypeOf<typeof TokenIdC>

/** Marks text that was checked to be the name of a token. */
export interface TokenNameBrand {
  readonly TokenName: unique symbol
}

/** Who holds it, as the log is to say: letters, digits and a few marks, so that it can stand in an operator's name. */
export const TokenNameC = expecting(
  `a name of 1 to ${operatorLimits.tokenNameLength} letters, digits, spaces, dots, hyphens and underscores`,
  t.brand(
    t.string,
    (text): text is t.Branded<string, TokenNameBrand> =>
      text.length <= operatorLimits.tokenNameLength && /^[\p{L}\p{N}][\p{L}\p{N} ._-]*$/u.test(text),
    'TokenName',
  ),
)
export type TokenName = t.TypeOf<typeof TokenNameC>

/** A token that was issued. */
export type Token = {
  readonly id: TokenId
  readonly name: string
  readonly permissions: readonly string[]
  readonly issuedAt: Instant
  readonly issuedBy: string
  readonly expiresAt?: Instant
  readonly revokedAt?: Instant
  readonly revokedBy?: string
}

/** As {@link Token}, with what a presented secret is compared to. */
export type StoredToken = Token & { readonly hash: Hash }
