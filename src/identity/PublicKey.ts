/**
 * The public half of a party's Ed25519 key, as text: `ed25519:` and 64 hex digits.
 */
import * as t from 'io-ts'

export interface PublicKeyBrand {
  readonly PublicKey: unique symbol
}

const pattern = /^ed25519:[0-9a-f]{64}$/

/** Codec of a public key. */
export const PublicKeyC = t.brand(
  t.string,
  (text): text is t.Branded<string, PublicKeyBrand> => pattern.test(text),
  'PublicKey',
)
/** A public Ed25519 key, as text: `ed25519:` and 64 hex digits. */
export type PublicKey = t.TypeOf<typeof PublicKeyC>
