/**
 * Brings a proposed transaction to its end with the other parties: everyone who must sign does, the notary lets
 * the states be consumed, and every participant records it.
 */
import * as t from 'io-ts'
import { isLeft } from 'fp-ts/lib/Either.js'
import { canonicalText, type Json } from '../../encoding/canonical.js'
import { CarillonError } from '../../errors/CarillonError.js'
import { orThrow } from '../../errors/Decision.js'
import { defineFlow, type FlowBody } from '../FlowDefinition.js'
import type { Finalised } from '../../finality/Finalised.js'
import type { FlowIo } from '../FlowIo.js'
import type { Session } from '../Session.js'
import { isSatisfiedBy, primitiveKeys } from '../../identity/Key.js'
import { PartyC, type Party } from '../../identity/Party.js'
import { finalityLimits } from '../../finality/limits.js'
import type { PublicKey } from '../../identity/PublicKey.js'
import {
  checkSignatures,
  needsNotary,
  SignedTransactionC,
  type SignedTransaction,
} from '../../ledger/SignedTransaction.js'
import { verifyTransactionSignature, type TransactionSignature } from '../../ledger/signatures.js'
import { dependenciesOf, type TransactionBody } from '../../ledger/Transaction.js'
import type { TransactionId } from '../../ledger/TransactionId.js'
import type { NotaryRequest } from '../../notary/NotaryRequest.js'
import type { Proposal } from '../../finality/decideTransaction.js'
import { ask } from '../ask.js'
import { sendHistory } from './history.js'
import { tearOffFor, type PartSigner } from './signPart.js'
import { FetchC, RecordedC, RefusedC, SignatureC } from '../../finality/protocol.js'

/** Serves the other side's questions about a transaction's history until it gives its answer. */
const serveUntil = function* <A extends { readonly type: string }>(
  session: Session,
  body: TransactionBody | undefined,
  answer: t.Type<A, unknown>,
): FlowBody<A> {
  // Only what the transaction builds on is shown, and whom a part was shown is shown no history.
  const mayAsk = new Set(body === undefined ? [] : dependenciesOf(body))
  for (let hasAsked = false; ; hasAsked = true) {
    const reply = yield* session.receive(t.union([FetchC, answer]))
    if (!FetchC.is(reply)) return reply
    // All that is sent is recorded here first. Whoever lacks something asks for all of it at once.
    if (hasAsked)
      throw new CarillonError('message-invalid', `${session.party.name} asked for the same history again.`, {
        party: session.party.name,
      })
    const strange = reply.ids.find((id) => !mayAsk.has(id))
    if (strange !== undefined)
      throw new CarillonError(
        'message-invalid',
        `${session.party.name} asked for transaction ${strange}, which the one it was shown does not build on.`,
        { party: session.party.name, transaction: strange },
      )
    yield* sendHistory(session, reply.ids)
  }
}

const asJson = (signed: SignedTransaction): Json => signed

/** That a key is reserved at a signer passes like one that is reserved here, and is told in the same way. */
const asRetryable = (error: CarillonError): CarillonError =>
  error.code === 'counterparty-failed' && error.details['code'] === 'state-key-reserved'
    ? new CarillonError('state-key-reserved', error.message, error.details, error)
    : error

/** The other party's signature, once it is seen to be one: a notary that sees only a part would not notice. */
const receiveSignature = function* (
  io: FlowIo,
  session: Session,
  id: TransactionId,
  shown: TransactionBody | undefined,
): FlowBody<TransactionSignature> {
  const { party } = session
  const served = yield* io.attempt(serveUntil(session, shown, t.union([SignatureC, RefusedC])))
  if (isLeft(served)) throw asRetryable(served.left)
  const answer = served.right
  if (answer.type === 'refused') {
    throw new CarillonError('signature-refused', `${party.name} refused to sign: ${answer.reason}`, {
      party: party.name,
      reason: answer.reason,
    })
  }
  const { signature } = answer
  const isTheirs = io.network.identityOf(signature.by) === party.key
  if (!isTheirs || !verifyTransactionSignature(io.network.id, id, signature)) {
    throw new CarillonError(
      'signature-invalid',
      `What ${party.name} answered is not its signature over transaction ${id}.`,
      { party: party.name, transaction: id },
    )
  }
  return signature
}

const collectSignature = function* (
  io: FlowIo,
  session: Session,
  id: TransactionId,
  signed: SignedTransaction,
): FlowBody<TransactionSignature> {
  yield* session.send({ type: 'sign', transaction: asJson(signed) })
  return yield* receiveSignature(io, session, id, signed.body)
}

const collectFromPart = function* (
  io: FlowIo,
  signer: PartSigner,
  { id, body }: Proposal,
): FlowBody<TransactionSignature> {
  yield* signer.session.send({ type: 'signPart', tearOff: tearOffFor(id, body, signer) })
  return yield* receiveSignature(io, signer.session, id, undefined)
}

/** How long a busy notary asks its caller to wait; undefined when the error is another one. */
const busyFor = ({ code, details }: CarillonError): number | undefined => {
  if (code !== 'counterparty-failed' || details['code'] !== 'notary-busy') return undefined
  const { retryAfterMs } = details
  return typeof retryAfterMs === 'number' && retryAfterMs > 0 ? Math.min(retryAfterMs, longestBusyMs) : leastBusyMs
}

const leastBusyMs = 1_000
/** Whatever a notary says, it is asked again within ten minutes. */
const longestBusyMs = 600_000

const askNotary = function* (
  io: FlowIo,
  signed: SignedTransaction,
  request: NotaryRequest,
): FlowBody<TransactionSignature> {
  const session = yield* io.initiate(signed.body.notary)
  yield* session.send({ type: 'notarise', request })
  const { signature } = yield* serveUntil(session, request.type === 'whole' ? signed.body : undefined, SignatureC)
  yield* session.close()
  return signature
}

/** Asks the notary for its signature, in a session of its own. */
export const NotariseFlow = defineFlow({
  name: 'carillon/Notarise',
  input: t.strict({ signed: SignedTransactionC }),
  *run(io, { signed }): FlowBody<TransactionSignature> {
    const request = (yield* ask({ kind: 'notaryRequest', signed })) as NotaryRequest
    for (let attempt = 1; ; attempt++) {
      const answered = yield* io.attempt(askNotary(io, signed, request))
      if (!isLeft(answered)) return answered.right
      const busy = busyFor(answered.left)
      if (busy === undefined || attempt >= finalityLimits.notaryAttempts) throw answered.left
      // All whom it turned away at once must not come back at once.
      const share = Number.parseInt((yield* io.newId()).slice(0, 4), 16) / 0xffff
      const waitMs = Math.round(busy * (1 + share))
      yield* io.progress(`${signed.body.notary.name} is busy; it is asked again in ${Math.ceil(waitMs / 1_000)} s`)
      yield* io.sleep({ milliseconds: waitMs })
    }
  },
})

const sendFinal = function* (session: Session, signed: SignedTransaction): FlowBody<void> {
  yield* session.send({ type: 'finality', transaction: asJson(signed) })
}

/** Opens sessions with parties that have none with this flow, and sends them a final transaction. */
export const BroadcastFlow = defineFlow({
  name: 'carillon/Broadcast',
  input: t.strict({ to: t.readonlyArray(PartyC), signed: SignedTransactionC }),
  *run(io, { to, signed }): FlowBody<readonly Session[]> {
    const sessions: Session[] = []
    for (const party of to) {
      const opened = yield* io.attempt(io.initiate(party))
      // A party that is not in the map cannot be told; where that matters, its signature was asked for before.
      if (isLeft(opened)) continue
      yield* sendFinal(opened.right, signed)
      sessions.push(opened.right)
    }
    return sessions
  },
})

/** Whose signatures are asked for: those sessions whose party has a key in the commands, the notary's last. */
const signersAmong = (sessions: readonly Session[], body: TransactionBody): readonly Session[] => {
  const wanted = new Set(body.signers.flat().flatMap(primitiveKeys))
  const isNotary = ({ party }: Session): number => (party.key === body.notary.key ? 1 : 0)
  return sessions.filter(({ party }) => wanted.has(party.key)).sort((a, b) => isNotary(a) - isNotary(b))
}

const assertAllReachable = (io: FlowIo, proposal: Proposal, keys: readonly PublicKey[]): void => {
  const reachable = new Set([io.me.key, ...keys])
  const missing = proposal.body.signers.flat().filter((key) => !isSatisfiedBy(key, reachable))
  if (missing.length === 0) return
  const texts = missing.map((key) => (typeof key === 'string' ? key : canonicalText(key)))
  throw new CarillonError(
    'signature-missing',
    `The transaction needs the signature of ${texts.join(', ')}. Open a session with that party and give it to finalise: { sessions: [session] }.`,
    { keys: texts },
  )
}

/** Who else has to do with a transaction that a flow finalises. */
export type TogetherOptions = {
  /** Sessions with the parties that must sign, or that take part. */
  readonly sessions?: readonly Session[]
  /** Parties that sign having been shown a part, such as oracles; they are not told the transaction when it is final. */
  readonly tearOffs?: readonly PartSigner[]
  /** Parties that are told although they do not take part, as their apps agree to it; nothing is scheduled for them. */
  readonly observers?: readonly Party[]
}

/** As {@link TogetherOptions}, for a proposal that some have signed already. */
type TogetherParts = TogetherOptions & {
  readonly signatures?: readonly TransactionSignature[]
  /** Whether it is enough that it is final here, whatever the others make of it. Default false. */
  readonly isEnoughHere?: boolean
}

/** Everyone's signature, the notary's last: nothing is consumed for a transaction that then lacks a signature. */
const collectSignatures = function* (
  io: FlowIo,
  proposal: Proposal,
  sessions: readonly Session[],
  tearOffs: readonly PartSigner[],
  given: readonly TransactionSignature[],
): FlowBody<SignedTransaction> {
  const { id, body } = proposal
  const signatures = [...given]
  const signed = (): SignedTransaction => ({ body, signatures: [...signatures] })
  const byNotary = needsNotary(body)
  const isNotary = byNotary && body.notary.key === io.me.key
  const hasSigned = given.some(({ by }) => io.network.identityOf(by) === io.me.key)
  const signs = !hasSigned && body.signers.flat().some((key) => primitiveKeys(key).includes(io.me.key))
  if (signs && !isNotary) signatures.push((yield* ask({ kind: 'sign', signed: signed() })) as TransactionSignature)
  for (const signer of tearOffs) signatures.push(yield* collectFromPart(io, signer, proposal))
  for (const session of signersAmong(sessions, body)) {
    if (session.party.key !== io.me.key) signatures.push(yield* collectSignature(io, session, id, signed()))
  }
  if (isNotary && !hasSigned) signatures.push((yield* ask({ kind: 'sign', signed: signed() })) as TransactionSignature)
  else if (byNotary && !signatures.some(({ by }) => io.network.identityOf(by) === body.notary.key)) {
    orThrow(
      checkSignatures(io.network, id, signed(), {
        except: [body.notary.key],
        // The notary looks at that; here a flow that is run again must come to the same answer.
        retired: true,
      }),
    )
    signatures.push(yield* io.subFlow(NotariseFlow, { signed: signed() }))
  }
  return signed()
}

/** Waits until the other ends have recorded what was sent to them; gives those that will not, and why. */
const awaitRecorded = function* (
  io: FlowIo,
  sessions: readonly Session[],
  { body }: SignedTransaction,
): FlowBody<readonly { readonly party: Party; readonly why: CarillonError }[]> {
  const failed: { readonly party: Party; readonly why: CarillonError }[] = []
  for (const session of sessions) {
    const served = yield* io.attempt(serveUntil(session, body, RecordedC))
    if (isLeft(served)) failed.push({ party: session.party, why: served.left })
  }
  return failed
}

export const finaliseTogether = function* (
  io: FlowIo,
  proposal: Proposal,
  { sessions = [], tearOffs = [], observers = [], signatures = [], isEnoughHere = false }: TogetherParts,
): FlowBody<Finalised> {
  const reachable = [...sessions, ...tearOffs.map(({ session }) => session)].map(({ party }) => party.key)
  assertAllReachable(io, proposal, [...reachable, ...signatures.map(({ by }) => io.network.identityOf(by))])
  const signed = yield* collectSignatures(io, proposal, sessions, tearOffs, signatures)
  const finalised = (yield* ask({ kind: 'record', transactions: [signed] })) as Finalised
  const told = new Set([io.me.key, ...sessions.map(({ party }) => party.key)])
  const others = [...proposal.participants, ...observers].filter(({ key }) => {
    if (told.has(key)) return false
    told.add(key)
    return true
  })
  // All are told before any is waited for: one that is down for a week keeps nobody else waiting.
  for (const session of sessions) yield* sendFinal(session, signed)
  const opened = others.length === 0 ? [] : yield* io.subFlow(BroadcastFlow, { to: others, signed })
  const failed = yield* awaitRecorded(io, sessions, signed)
  // It is final whatever a party's flow made of it: one that has failed or ended is replaced by the built-in one.
  const again =
    failed.length === 0 ? [] : yield* io.subFlow(BroadcastFlow, { to: failed.map(({ party }) => party), signed })
  const [refused] = yield* awaitRecorded(io, [...opened, ...again], signed)
  if (refused !== undefined && !isEnoughHere) throw refused.why
  return finalised
}
