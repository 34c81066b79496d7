/**
 * The right to sign in this party's name. Whoever has it gets signatures and never the key.
 */
import type { SignatureTag } from './NetworkId.js'
import type { PublicKey } from './PublicKey.js'

export type Signing = {
  /** This party's signature, for this network, over a text of the kind that the tag names. */
  readonly sign: (tag: SignatureTag, text: string) => { readonly by: PublicKey; readonly signature: string }
}
