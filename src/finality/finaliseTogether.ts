/**
 * Brings a proposed transaction to its end with the other parties: everyone who must sign does, the notary lets
 * the states be consumed, and every participant records it.
 */
import * as t from 'io-ts'
import { canonicalText, type Json } from '../encoding/canonical.js'
import { CarillonError } from '../errors/CarillonError.js'
import { defineFlow, type FlowBody } from '../flow/FlowDefinition.js'
import type { Finalised } from '../flow/Finalised.js'
import type { FlowIo } from '../flow/FlowIo.js'
import type { Session } from '../flow/Session.js'
import { isSatisfiedBy, primitiveKeys } from '../identity/Key.js'
import { PartyC, type Party } from '../identity/Party.js'
import { needsNotary, SignedTransactionC, type SignedTransaction } from '../ledger/SignedTransaction.js'
import type { TransactionSignature } from '../ledger/signatures.js'
import type { NotaryRequest } from '../notary/NotaryRequest.js'
import type { Proposal } from '../vault/decideTransaction.js'
import { perform, sendHistory } from './history.js'
import { FetchC, RecordedC, RefusedC, SignatureC } from './protocol.js'

/** Sends a transaction and serves the other side's questions about its history until it gives its answer. */
const sendWithHistory = function* <A extends { readonly type: string }>(
  session: Session,
  payload: Json,
  answer: t.Type<A, unknown>,
): FlowBody<A> {
  yield* session.send(payload)
  for (;;) {
    const reply = yield* session.receive(t.union([FetchC, answer]))
    if (!FetchC.is(reply)) return reply
    yield* sendHistory(session, reply.ids)
  }
}

const asJson = (signed: SignedTransaction): Json => signed as unknown as Json

const collectSignature = function* (session: Session, signed: SignedTransaction): FlowBody<TransactionSignature> {
  const answer = yield* sendWithHistory(
    session,
    { type: 'sign', transaction: asJson(signed) },
    t.union([SignatureC, RefusedC]),
  )
  if (answer.type === 'refused') {
    throw new CarillonError('signature-refused', `${session.party.name} refused to sign: ${answer.reason}`, {
      party: session.party.name,
      reason: answer.reason,
    })
  }
  return answer.signature
}

/** Asks the notary for its signature, in a session of its own. */
export const NotariseFlow = defineFlow({
  name: 'carillon/Notarise',
  input: t.strict({ signed: SignedTransactionC }),
  *run(io, { signed }): FlowBody<TransactionSignature> {
    const request = (yield* perform({ kind: 'notaryRequest', signed })) as NotaryRequest
    const session = yield* io.initiate(signed.body.notary)
    const { signature } = yield* sendWithHistory(
      session,
      { type: 'notarise', request: request as unknown as Json },
      SignatureC,
    )
    yield* session.close()
    return signature
  },
})

/** Hands a final transaction to a participant who has no session with this flow. */
export const BroadcastFlow = defineFlow({
  name: 'carillon/Broadcast',
  input: t.strict({ to: PartyC, signed: SignedTransactionC }),
  *run(io, { to, signed }): FlowBody<void> {
    const session = yield* io.initiate(to)
    yield* sendWithHistory(session, { type: 'finality', transaction: asJson(signed) }, RecordedC)
    yield* session.close()
  },
})

/** Whose signatures are asked for: those sessions whose party has a key in the commands. */
const signersAmong = (sessions: readonly Session[], proposal: Proposal): readonly Session[] => {
  const wanted = new Set(proposal.body.signers.flat().flatMap(primitiveKeys))
  return sessions.filter(({ party }) => wanted.has(party.key))
}

const assertAllReachable = (io: FlowIo, proposal: Proposal, sessions: readonly Session[]): void => {
  const reachable = new Set([io.me.key, ...sessions.map(({ party }) => party.key)])
  const missing = proposal.body.signers.flat().filter((key) => !isSatisfiedBy(key, reachable))
  if (missing.length === 0) return
  const keys = missing.map((key) => (typeof key === 'string' ? key : canonicalText(key)))
  throw new CarillonError(
    'signature-missing',
    `The transaction needs the signature of ${keys.join(', ')}. Open a session with that party and give it to finalise: { sessions: [session] }.`,
    { keys },
  )
}

export type TogetherOptions = {
  /** Sessions with the parties that must sign, or that take part. */
  readonly sessions?: readonly Session[]
  /** Parties that are told although they do not take part; nothing is scheduled for them. */
  readonly observers?: readonly Party[]
}

export const finaliseTogether = function* (
  io: FlowIo,
  proposal: Proposal,
  options: TogetherOptions,
): FlowBody<Finalised> {
  const sessions = options.sessions ?? []
  assertAllReachable(io, proposal, sessions)
  const signatures: TransactionSignature[] = []
  const mine =
    proposal.body.signers.flat().some((key) => primitiveKeys(key).includes(io.me.key)) ||
    proposal.body.notary.key === io.me.key
  if (mine) signatures.push((yield* perform({ kind: 'sign', id: proposal.id })) as TransactionSignature)
  for (const session of signersAmong(sessions, proposal)) {
    signatures.push(yield* collectSignature(session, { body: proposal.body, signatures: [...signatures] }))
  }
  if (needsNotary(proposal.body) && proposal.body.notary.key !== io.me.key) {
    signatures.push(yield* io.subFlow(NotariseFlow, { signed: { body: proposal.body, signatures: [...signatures] } }))
  }
  const signed: SignedTransaction = { body: proposal.body, signatures }
  const finalised = (yield* perform({ kind: 'record', transactions: [signed] })) as Finalised
  const told = new Set([io.me.key])
  for (const session of sessions) {
    told.add(session.party.key)
    yield* sendWithHistory(session, { type: 'finality', transaction: asJson(signed) }, RecordedC)
  }
  for (const to of [...proposal.participants, ...(options.observers ?? [])]) {
    if (told.has(to.key)) continue
    told.add(to.key)
    yield* io.subFlow(BroadcastFlow, { to, signed })
  }
  return finalised
}
