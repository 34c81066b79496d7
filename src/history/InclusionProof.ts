/**
 * Proves that an event stands in a node's log to someone who does not have the log: the tick that holds it, with the node's
 * signature. With a checkpoint it also holds the way from that tick up to the root that the checkpoint commits to; then it
 * is the newer signature that counts. Its size grows with the tick and with the logarithm of the log.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { decodeWith } from '../encoding/decode.js'
import { HashC, type Hash } from '../encoding/hash.js'
import { IntegerC } from '../encoding/IntegerC.js'
import { leafHash, rootFromProof } from '../encoding/merkle.js'
import { PathFinder } from '../encoding/MountainRange.js'
import { CarillonError } from '../errors/CarillonError.js'
import { CheckpointC, verifyCheckpoint, type Checkpoint } from '../log/Checkpoint.js'
import { NetworkIdC, type NetworkId } from '../identity/NetworkId.js'
import { PublicKeyC, type PublicKey } from '../identity/PublicKey.js'
import { decodeEvent } from '../log/decodeEvent.js'
import type { DomainEvent } from '../log/events.js'
import { revisionUnknown } from '../log/revisionUnknown.js'
import { SignerTracker, signerEventsOf } from '../log/SignerTracker.js'
import { emptyHead, hashAfterTick, headAfter, type EncodedTick, type HashLink } from '../log/Tick.js'
import { isSignedBy, type TickSigner } from '../log/TickSigner.js'
import { InstantC, type Instant } from '../time/Instant.js'

const proofFormat = 2

const InclusionProofC = t.readonly(
  t.intersection([
    t.strict({
      carillon: t.literal('proof'),
      format: IntegerC,
      /** The revision of the event that is proven. */
      revision: IntegerC,
      /** The running hash before the tick, and the signature over it. */
      before: t.strict({ hash: HashC, signature: t.string }),
      /** The whole tick, since its hash covers all of it. */
      tick: t.strict({
        number: IntegerC,
        firstRevision: IntegerC,
        at: InstantC,
        events: t.readonlyArray(t.string),
        signature: t.string,
      }),
      /** The key that has signed the tick, and in which network. */
      by: PublicKeyC,
      network: NetworkIdC,
    }),
    t.exact(
      t.partial({
        /** A later position that the proof leads to. */
        checkpoint: CheckpointC,
        /** From the tick's leaf up to the root of the checkpoint, nearest first. */
        path: t.readonlyArray(HashC),
      }),
    ),
  ]),
)

/** A proof that an event stands in a log. It is plain JSON. */
export type InclusionProof = t.TypeOf<typeof InclusionProofC>

/** What a proof that holds has proven. */
export type ProvenEvent = {
  readonly revision: number
  readonly tick: number
  /** The instant of its tick. */
  readonly at: Instant
  readonly event: DomainEvent
  /** Its canonical text, as the log holds it. */
  readonly text: string
  /** Whose log it stands in: the key that has signed the checkpoint, or else the tick. */
  readonly by: PublicKey
  /** The network in which the tick was signed. */
  readonly network: NetworkId
  /** The checkpoint that the proof leads to, if it has one. */
  readonly checkpoint?: Checkpoint
}

type Found = { readonly tick: EncodedTick; readonly before: HashLink; readonly signer: TickSigner }

const proofOf = (revision: number, { tick, before, signer }: Found): InclusionProof => {
  const { number, firstRevision, at, events, signature } = tick
  return {
    carillon: 'proof',
    format: proofFormat,
    revision,
    before: { hash: before.hash, signature: before.signature },
    tick: { number, firstRevision, at, events, signature },
    by: signer.key,
    network: signer.network,
  }
}

/** Builds the proof for one event while the log goes by once. With a checkpoint of this log it leads to that. */
export const proveEvent = async (
  ticks: AsyncIterable<EncodedTick>,
  revision: number,
  { checkpoint }: { readonly checkpoint?: Checkpoint } = {},
): Promise<InclusionProof> => {
  const finder = new PathFinder()
  const signers = new SignerTracker()
  let before = emptyHead
  let found: Found | undefined
  for await (const tick of ticks) {
    const signer = signers.next(signerEventsOf(tick))
    const isHere = revision >= tick.firstRevision && revision < tick.firstRevision + tick.events.length
    if (isHere && signer !== undefined) found = { tick, before, signer }
    if (found !== undefined && checkpoint === undefined) return proofOf(revision, found)
    finder.add(leafHash(tick.hash), isHere)
    before = headAfter(tick)
    if (found !== undefined && checkpoint?.tick === before.tick && checkpoint.hash === before.hash)
      return { ...proofOf(revision, found), checkpoint, path: finder.path() }
  }
  if (found === undefined || checkpoint === undefined) throw revisionUnknown(revision, before.revision)
  throw new CarillonError(
    'head-invalid',
    `The checkpoint at revision ${checkpoint.revision} is not one of this log, or does not cover revision ${revision}. Leave it out: the signature of the tick then is the proof.`,
    { revision },
  )
}

const invalid = (why: string): CarillonError =>
  new CarillonError('proof-invalid', `The proof does not hold: ${why}. Ask for it again, from whoever has the log.`)

/**
 * Checks that the checkpoint of a proof is signed, and covers the tick. The tick may be older than the node's place in the
 * network of the checkpoint.
 */
const assertCovered = (checkpoint: Checkpoint, proof: InclusionProof, hash: Hash): void => {
  if (!verifyCheckpoint(checkpoint)) throw invalid('the signature of its checkpoint does not verify')
  const root = rootFromProof(leafHash(hash), proof.tick.number - 1, checkpoint.tick, proof.path ?? [])
  if (root !== checkpoint.range) throw invalid('the tick in it is not one that its checkpoint covers, or was altered')
}

/**
 * Checks a proof without the log. Whose log it is, is for the caller to judge: give the key you expect as `by`, or look at
 * the one in the answer. Throws `proof-invalid`.
 */
export const checkProof = (value: unknown, { by }: { readonly by?: PublicKey } = {}): ProvenEvent => {
  const decoded = decodeWith(InclusionProofC, value)
  if (isLeft(decoded)) throw invalid(`it is not an inclusion proof (${decoded.left.slice(0, 3).join('; ')})`)
  const { format, revision, before, tick, checkpoint } = decoded.right
  if (format !== proofFormat)
    throw new CarillonError(
      'log-too-new',
      `The proof is in format ${format}; this version of Carillon reads format ${proofFormat}.`,
      { format },
    )
  const text = tick.events[revision - tick.firstRevision]
  if (text === undefined) throw invalid(`tick ${tick.number} does not hold revision ${revision}`)
  const hash = hashAfterTick(before, tick)
  const signer = { key: decoded.right.by, network: decoded.right.network }
  if (!isSignedBy({ ...tick, hash }, signer)) throw invalid('the signature of its tick does not verify')
  if (checkpoint !== undefined) assertCovered(checkpoint, decoded.right, hash)
  const signedBy = checkpoint?.by ?? signer.key
  if (by !== undefined && signedBy !== by) throw invalid(`it is signed by ${signedBy}, not by ${by}`)
  return {
    ...{ revision, tick: tick.number, at: tick.at, event: decodeEvent(text, revision), text, by: signedBy },
    network: signer.network,
    ...(checkpoint === undefined ? {} : { checkpoint }),
  }
}
