/**
 * A checkpoint: a position of a log, signed by its node, that another party can keep. Whoever keeps one can tell later
 * whether the log was cut off or changed. It commits to the running hash, and to a Merkle tree over the running hashes of
 * all ticks up to it, for short proofs.
 */
import * as t from 'io-ts'
import { HashC, type Hash } from '../encoding/hash.js'
import { IntegerC } from '../encoding/IntegerC.js'
import { rangeRoot, type MountainRange } from '../encoding/MountainRange.js'
import { verifySignature, type KeyPair } from '../identity/KeyPair.js'
import { NetworkIdC, textToSign, type NetworkId } from '../identity/NetworkId.js'
import { PublicKeyC } from '../identity/PublicKey.js'
import type { Head } from './Tick.js'
import { InstantC, type Instant } from '../time/Instant.js'

export const CheckpointC = t.readonly(
  t.intersection([
    t.strict({
      network: NetworkIdC,
      tick: IntegerC,
      revision: IntegerC,
      /** The running hash after the tick. */
      hash: HashC,
      /** The root of the tree over the running hashes of all ticks up to this one. */
      range: HashC,
      by: PublicKeyC,
      signature: t.string,
    }),
    t.exact(
      t.partial({
        /** When an operator last let the node continue from a copy of its log; checkpoints from before no longer count. */
        continuedAt: InstantC,
      }),
    ),
  ]),
  'Checkpoint',
)
/** A position of a log with its node's signature, as others keep it. */
export type Checkpoint = t.TypeOf<typeof CheckpointC>

type Position = Omit<Checkpoint, 'by' | 'signature'>

// The number of ticks is signed too: the root of the tree does not commit to it.
const textOf = ({ network, tick, revision, hash, range, continuedAt }: Position): string =>
  textToSign('checkpoint', network, tick, revision, hash, range, continuedAt ?? '')

/** What else of the log a checkpoint commits to. */
export type CheckpointFacts = {
  readonly network: NetworkId
  /** Over the ticks up to the head. */
  readonly range: MountainRange
  readonly continuedAt?: Instant | undefined
}

const positionOf = (
  { tick, revision, hash }: Head,
  range: Hash,
  { network, continuedAt }: CheckpointFacts,
): Position => ({
  ...{ network, tick, revision, hash, range },
  ...(continuedAt === undefined ? {} : { continuedAt }),
})

export const signCheckpoint = (key: KeyPair, head: Head, facts: CheckpointFacts): Checkpoint => {
  const position = positionOf(head, rangeRoot(facts.range), facts)
  return { ...position, by: key.publicKey, signature: key.sign(textOf(position)) }
}

/** Whether a checkpoint is signed by the key it names, in the network it names. */
export const verifyCheckpoint = (checkpoint: Checkpoint): boolean =>
  verifySignature(checkpoint.by, textOf(checkpoint), checkpoint.signature)

type Continuation = { readonly continuedAt?: Instant | undefined }

/** Whether a checkpoint was made after a later continuation of its log than another: instants compare as text. */
export const isOfLaterContinuation = (checkpoint: Continuation, than: Continuation): boolean =>
  (checkpoint.continuedAt ?? '') > (than.continuedAt ?? '')

/** Whether a checkpoint says more about its log than another: further along, or after a later continuation. */
export const isNewerCheckpoint = (checkpoint: Checkpoint, than: Checkpoint): boolean =>
  isOfLaterContinuation(checkpoint, than) ||
  (!isOfLaterContinuation(than, checkpoint) && checkpoint.revision > than.revision)
