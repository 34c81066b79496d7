/**
 * The public half of a party's Ed25519 key, as text: `ed25519:` and 64 hex digits, the one canonical form of a point. The
 * eight points of small order are no keys: for them signatures can be made that hold for any text, by anyone.
 */
import * as t from 'io-ts'

/** A public Ed25519 key in its canonical form. */
export interface PublicKeyBrand {
  readonly PublicKey: unique symbol
}

const pattern = /^ed25519:[0-9a-f]{64}$/

/** The y coordinate is written with its lowest byte first; the highest bit is the sign of x. This is 2^255 - 19 or more. */
const beyondField = /^ed25519:(?:e[d-f]|f[0-9a-f])f{60}[7f]f$/

/** The points of small order: five y coordinates, each with either sign of x. */
const smallOrder =
  /^ed25519:(?:0{62}[08]0|010{60}[08]0|ecf{60}[7f]f|26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc[08]5|c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03[7f]a)$/

/** Codec of a public key. */
export const PublicKeyC = t.brand(
  t.string,
  (text): text is t.Branded<string, PublicKeyBrand> =>
    pattern.test(text) && !beyondField.test(text) && !smallOrder.test(text),
  'PublicKey',
)
/** A public Ed25519 key, as text: `ed25519:` and 64 hex digits. */
export type PublicKey = t.TypeOf<typeof PublicKeyC>
