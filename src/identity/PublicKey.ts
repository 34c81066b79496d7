/**
 * The public half of a party's Ed25519 key, as text: `ed25519:` and 64 hex digits, the one canonical form of a point. The
 * eight points of small order are no keys: for them signatures can be made that hold for any text, by anyone.
 */
import * as t from 'io-ts'

/** A public Ed25519 key in its canonical form. */
export interface PublicKeyBrand {
  readonly PublicKey: unique symbol
}

/**
 * 64 hex digits, lowest byte first, that are none of these: a y coordinate of 2^255 - 19 or more (the highest bit is the sign
 * of x), or one of the five of points of small order, with either sign of x.
 */
const pattern = new RegExp(
  `^ed25519:(?!(?:${[
    '(?:e[d-f]|f[0-9a-f])f{60}[7f]f',
    '0{62}[08]0',
    '010{60}[08]0',
    'ecf{60}[7f]f',
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc[08]5',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03[7f]a',
  ].join('|')})$)[0-9a-f]{64}$`,
)

/** Codec of a public key. */
export const PublicKeyC = t.brand(
  t.string,
  (text): text is t.Branded<string, PublicKeyBrand> => pattern.test(text),
  'PublicKey',
)
/** A public Ed25519 key, as text: `ed25519:` and 64 hex digits. */
export type PublicKey = t.TypeOf<typeof PublicKeyC>
