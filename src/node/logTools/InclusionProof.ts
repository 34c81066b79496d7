/**
 * Proves that an event stands in a node's log to someone who does not have the log: the tick that holds it, the way
 * from that tick up to the root that a signed head commits to, and that head. Its size grows with the tick and with the
 * logarithm of the log.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { decodeWith } from '../../encoding/decode.js'
import { HashC, type Hash } from '../../encoding/hash.js'
import { IntegerC } from '../../encoding/IntegerC.js'
import { leafHash, rootFromProof } from '../../encoding/merkle.js'
import { PathFinder } from '../../encoding/MountainRange.js'
import { CarillonError } from '../../errors/CarillonError.js'
import type { PublicKey } from '../../identity/PublicKey.js'
import { decodeEvent } from '../../log/decodeEvent.js'
import { eventCodecs, type DomainEvent } from '../../log/events.js'
import { revisionUnknown } from '../../log/revisionUnknown.js'
import { emptyHead, hashAfterTick, headAfter, type EncodedTick } from '../../log/Tick.js'
import { InstantC, type Instant } from '../../time/Instant.js'
import { verifySignedHead, type SignedHead } from '../../heads/SignedHead.js'
import { signedHeadsIn } from './signedHeadsIn.js'

const proofFormat = 1

const InclusionProofC = t.readonly(
  t.strict({
    carillon: t.literal('proof'),
    format: IntegerC,
    /** The revision of the event that is proven. */
    revision: IntegerC,
    /** The running hash before the tick. */
    before: HashC,
    /** The whole tick, since its hash covers all of it. */
    tick: t.strict({ number: IntegerC, firstRevision: IntegerC, at: InstantC, events: t.readonlyArray(t.string) }),
    /** From the tick's leaf up to the root, nearest first. */
    path: t.readonlyArray(HashC),
    head: eventCodecs.HeadSigned,
  }),
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
  /** Whose log it stands in: the key that has signed the head. */
  readonly by: PublicKey
  /** The head that was signed. */
  readonly head: SignedHead
}

type Found = { readonly tick: EncodedTick; readonly before: Hash }

const proofOf = (
  revision: number,
  { tick: { number, firstRevision, at, events }, before }: Found,
  path: readonly Hash[],
  head: SignedHead,
): InclusionProof => ({
  carillon: 'proof',
  format: proofFormat,
  revision,
  before,
  tick: { number, firstRevision, at, events },
  path,
  head,
})

/**
 * Builds the proof for one event while the log goes by once. It leads to `head` when one is given, otherwise to the first
 * head that was signed after the event.
 */
export const proveEvent = async (
  ticks: AsyncIterable<EncodedTick>,
  revision: number,
  { head: wanted }: { readonly head?: SignedHead } = {},
): Promise<InclusionProof> => {
  const finder = new PathFinder()
  let before = emptyHead
  let found: Found | undefined
  for await (const tick of ticks) {
    if (found !== undefined) {
      // A head says where the log stood before the tick that holds it.
      const head = (wanted === undefined ? signedHeadsIn(tick) : [wanted]).find(
        (signed) => signed.tick === before.tick && signed.head === before.hash,
      )
      if (head !== undefined) return proofOf(revision, found, finder.path(), head)
    }
    const isHere = revision >= tick.firstRevision && revision < tick.firstRevision + tick.events.length
    if (isHere) found = { tick, before: before.hash }
    finder.add(leafHash(tick.hash), isHere)
    before = headAfter(tick)
  }
  if (found === undefined) throw revisionUnknown(revision, before.revision)
  if (wanted?.tick === before.tick && wanted.head === before.hash)
    return proofOf(revision, found, finder.path(), wanted)
  throw new CarillonError(
    'head-unsigned',
    wanted === undefined
      ? `No signed head covers revision ${revision} yet. The node signs one now and then, and when it is stopped in good order; try again then.`
      : `The signed head at revision ${wanted.revision} is not one of this log, or does not cover revision ${revision}. Leave it out to prove against the first one that does.`,
    { revision },
  )
}

const invalid = (why: string): CarillonError =>
  new CarillonError('proof-invalid', `The proof does not hold: ${why}. Ask for it again, from whoever has the log.`)

/**
 * Checks a proof without the log. Whose log it is, is for the caller to judge: give the key you expect as `by`, or look at
 * the one in the answer. Throws `proof-invalid`.
 */
export const checkProof = (value: unknown, { by }: { readonly by?: PublicKey } = {}): ProvenEvent => {
  const decoded = decodeWith(InclusionProofC, value)
  if (isLeft(decoded)) throw invalid(`it is not an inclusion proof (${decoded.left.slice(0, 3).join('; ')})`)
  const { format, revision, before, tick, path, head } = decoded.right
  if (format !== proofFormat)
    throw new CarillonError(
      'log-too-new',
      `The proof is in format ${format}; this version of Carillon reads format ${proofFormat}.`,
      { format },
    )
  const text = tick.events[revision - tick.firstRevision]
  if (text === undefined) throw invalid(`tick ${tick.number} does not hold revision ${revision}`)
  if (!verifySignedHead(head)) throw invalid('the signature of its head does not verify')
  if (by !== undefined && head.by !== by) throw invalid(`its head is signed by ${head.by}, not by ${by}`)
  const hash = hashAfterTick(before, tick)
  if (rootFromProof(leafHash(hash), tick.number - 1, head.tick, path) !== head.range)
    throw invalid('the tick in it is not one that the signed head covers, or was altered')
  return { revision, tick: tick.number, at: tick.at, event: decodeEvent(text, revision), text, by: head.by, head }
}
