/**
 * A head of the log, signed by the node: whoever holds one can tell later whether the log was cut or changed. It
 * commits to the running hash, and to a Merkle tree over the running hashes of all ticks, for short proofs.
 */
import type { Hash } from '../encoding/hash.js'
import { rangeRoot, type MountainRange } from '../encoding/MountainRange.js'
import { verifySignature, type KeyPair } from '../identity/KeyPair.js'
import type { EventOf } from '../log/events.js'
import type { Head } from '../log/Tick.js'

/** A head with its signature, as the log holds it and as others may keep it. */
export type SignedHead = EventOf<'HeadSigned'>

type Signed = Pick<EventOf<'HeadSigned'>, 'tick' | 'revision' | 'head' | 'range'>

// The number of ticks is signed too: the root of the range does not commit to it.
const textToSign = ({ tick, revision, head, range }: Signed): string =>
  `carillon head 1\n${tick}\n${revision}\n${head}\n${range}`

const signed = (head: Head, range: Hash): Signed => ({
  tick: head.tick,
  revision: head.revision,
  head: head.hash,
  range,
})

/** Signs a head; the range is the one over the ticks up to that head. */
export const signHead = (key: KeyPair, head: Head, range: MountainRange): EventOf<'HeadSigned'> => {
  const what = signed(head, rangeRoot(range))
  return { type: 'HeadSigned', ...what, by: key.publicKey, signature: key.sign(textToSign(what)) }
}

export const verifySignedHead = (event: EventOf<'HeadSigned'>): boolean =>
  verifySignature(event.by, textToSign(event), event.signature)
