/**
 * A head of the log, signed by the node: whoever holds one can tell later whether the log was cut or changed. It
 * commits to the running hash, and to a Merkle tree over the running hashes of all ticks, for short proofs.
 */
import * as t from 'io-ts'
import { HashC, type Hash } from '../encoding/hash.js'
import { IntegerC } from '../encoding/IntegerC.js'
import { rangeRoot, type MountainRange } from '../encoding/MountainRange.js'
import { verifySignature, type KeyPair } from '../identity/KeyPair.js'
import { PublicKeyC } from '../identity/PublicKey.js'
import type { Head } from '../log/Tick.js'
import { InstantC, type Instant } from '../time/Instant.js'

export const SignedHeadC = t.readonly(
  t.intersection([
    t.strict({
      type: t.literal('HeadSigned'),
      tick: IntegerC,
      revision: IntegerC,
      head: HashC,
      /** The root of the mountain range over the running hashes of all ticks up to this one. */
      range: HashC,
      by: PublicKeyC,
      signature: t.string,
    }),
    t.exact(
      t.partial({
        /** When an operator last told the node to go on from a copy of its log; heads from before count no more. */
        goneOnAt: InstantC,
      }),
    ),
  ]),
)
/** A head with its signature, as the log holds it and as others may keep it. */
export type SignedHead = t.TypeOf<typeof SignedHeadC>

type Signed = Pick<SignedHead, 'tick' | 'revision' | 'head' | 'range' | 'goneOnAt'>

// The number of ticks is signed too: the root of the range does not commit to it.
const textToSign = ({ tick, revision, head, range, goneOnAt }: Signed): string =>
  goneOnAt === undefined
    ? `carillon head 1\n${tick}\n${revision}\n${head}\n${range}`
    : `carillon head 2\n${tick}\n${revision}\n${head}\n${range}\n${goneOnAt}`

/** What else of the log a signed head commits to. */
export type Standing = {
  /** Over the ticks up to the head. */
  readonly range: MountainRange
  readonly goneOnAt?: Instant | undefined
}

const signed = (head: Head, range: Hash, goneOnAt: Instant | undefined): Signed => ({
  tick: head.tick,
  revision: head.revision,
  head: head.hash,
  range,
  ...(goneOnAt === undefined ? {} : { goneOnAt }),
})

export const signHead = (key: KeyPair, head: Head, { range, goneOnAt }: Standing): SignedHead => {
  const what = signed(head, rangeRoot(range), goneOnAt)
  return { type: 'HeadSigned', ...what, by: key.publicKey, signature: key.sign(textToSign(what)) }
}

export const verifySignedHead = (head: SignedHead): boolean =>
  verifySignature(head.by, textToSign(head), head.signature)

type Stretch = { readonly goneOnAt?: Instant | undefined }

/** Whether a head is of a later stretch of its log than another: instants compare as text. */
export const isOfLaterStretch = (head: Stretch, than: Stretch): boolean => (head.goneOnAt ?? '') > (than.goneOnAt ?? '')

/** Whether a head says more about its log than another: further along, or after the node was told to go on. */
export const isNewerHead = (head: SignedHead, than: SignedHead): boolean =>
  isOfLaterStretch(head, than) || (!isOfLaterStretch(than, head) && head.revision > than.revision)
