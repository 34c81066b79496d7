/**
 * A party's key as its log knows it: it can repeat what the party has signed lately, and sign nothing new. That is
 * all a replay needs, and all it can have: an exported log holds no private key.
 */
import { CarillonError } from '../../errors/CarillonError.js'
import { verifySignature, type KeyPair } from '../../identity/KeyPair.js'
import type { PublicKey } from '../../identity/PublicKey.js'

const signedText = /"(?:callerSignature|signature)":"([A-Za-z0-9+/=]+)"/g

/** Signatures that a flow in flight may still have to repeat. */
const mostKept = 1_000

export class SignaturesOfLog {
  readonly #known: string[] = []

  /** Takes the signatures out of an event, as encoded, that may hold some. */
  learn(line: string): void {
    if (!line.includes('"callerSignature"') && !line.includes('"type":"TransactionRecorded"')) return
    for (const [, signature] of line.matchAll(signedText)) if (signature !== undefined) this.#known.unshift(signature)
    this.#known.length = Math.min(this.#known.length, mostKept)
  }

  /** The key of a party, for repeating. What it was never asked to sign gets a signature that is none. */
  keyOf(publicKey: PublicKey): KeyPair {
    return {
      publicKey,
      sign: (text) => this.#known.find((signature) => verifySignature(publicKey, text, signature)) ?? '',
      exportPrivate: () => {
        throw new CarillonError('signature-invalid', 'A log holds no private key.')
      },
    }
  }
}
