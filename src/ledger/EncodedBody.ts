/**
 * The body of a transaction as canonical text, together with what a vault keeps of it, so that a vault need not read the
 * text again.
 */
import { Encoded } from '../encoding/canonical.js'
import type { PublicKey } from '../identity/PublicKey.js'
import type { StateRef } from './StateRef.js'

/** An output with its data as canonical text. */
export type OutputText = {
  readonly type: string
  readonly version: number
  readonly contract: { readonly name: string; readonly version: number }
  readonly text: string
}

export class EncodedBody extends Encoded {
  constructor(
    text: string,
    readonly inputs: readonly StateRef[],
    /** The notary its outputs stand under. */
    readonly notary: PublicKey,
    readonly outputs: readonly OutputText[],
  ) {
    super(text)
  }
}
