/**
 * The other side of finality: checking and signing what is proposed, and recording what is final.
 */
import * as t from 'io-ts'
import { isLeft } from 'fp-ts/lib/Either.js'
import { CarillonError } from '../../errors/CarillonError.js'
import type { FlowBody } from '../FlowDefinition.js'
import type { Finalised } from '../../finality/Finalised.js'
import type { FlowIo } from '../FlowIo.js'
import { defineResponder } from '../Responder.js'
import { Session } from '../Session.js'
import { primitiveKeys } from '../../identity/Key.js'
import { requiredKeys, type SignedTransaction } from '../../ledger/SignedTransaction.js'
import type { LedgerTransaction } from '../../ledger/LedgerTransaction.js'
import { sealBody } from '../../ledger/Transaction.js'
import type { TransactionId } from '../../ledger/TransactionId.js'
import type { TransactionSignature } from '../../ledger/signatures.js'
import { NotaryRequestC } from '../../notary/NotaryRequest.js'
import { comeTo, type Verdict } from './Verdict.js'
import { ask } from '../ask.js'
import { resolveDependencies } from './history.js'
import { FinalityC, SignRequestC } from '../../finality/protocol.js'

/** A signer's own check, beyond what contracts say. A check that has to look things up is a generator. */
export type SignerCheck = (transaction: LedgerTransaction) => Verdict

/** The keys whose signatures may still be missing while signatures are being collected. */
const stillToSign = (signed: SignedTransaction) => {
  const present = new Set(signed.signatures.map(({ by }) => by))
  return requiredKeys(signed.body)
    .flatMap(primitiveKeys)
    .filter((key) => !present.has(key))
}

/** Receives a proposal, resolves and checks it, and signs it unless `check` gives a reason not to. */
export const signProposal = function* (io: FlowIo, session: Session, check: SignerCheck): FlowBody<void> {
  const { transaction: signed } = yield* session.receive(SignRequestC)
  const exceptKeys = stillToSign(signed)
  yield* resolveDependencies(session, signed, { exceptKeys })
  const transaction = (yield* ask({ kind: 'check', signed, exceptKeys })) as LedgerTransaction
  const verdict = yield* comeTo(check(transaction))
  if (isLeft(verdict)) {
    yield* session.send({ type: 'refused', reason: verdict.left })
    throw new CarillonError(
      'signature-refused',
      `${io.me.name} refused to sign what ${session.party.name} proposed: ${verdict.left}`,
      { party: session.party.name, reason: verdict.left },
    )
  }
  const signature = (yield* ask({ kind: 'sign', signed })) as TransactionSignature
  Session.noteSigned(session, sealBody(signed.body).id)
  yield* session.send({ type: 'signature', signature })
}

/** What a flow expects to be told. */
export type FinalityOptions = {
  /**
   * Takes any final transaction, for a session in which nothing was signed. Where something was, that is expected and
   * nothing else. Default false.
   */
  readonly any?: boolean
}

/** Throws for a transaction that is not the one that was signed in the session. */
const assertExpected = (session: Session, id: TransactionId, { any = false }: FinalityOptions): void => {
  const hasSigned = Session.hasSigned(session)
  if (hasSigned ? Session.takeSigned(session, id) : any) return
  throw new CarillonError(
    'finality-unexpected',
    hasSigned
      ? `${session.party.name} sent transaction ${id} as final, which is not what was signed in this session.`
      : `${session.party.name} sent transaction ${id} as final, and nothing was signed in this session. Where a flow wants it all the same, it says so: io.receiveFinality(session, { any: true }).`,
    { party: session.party.name, transaction: id },
  )
}

/** Receives a final transaction, resolves, checks and records it. */
export const receiveFinality = function* (session: Session, options: FinalityOptions = {}): FlowBody<Finalised> {
  const { transaction: signed } = yield* session.receive(FinalityC)
  assertExpected(session, sealBody(signed.body).id, options)
  yield* resolveDependencies(session, signed)
  const finalised = (yield* ask({ kind: 'record', transactions: [signed] })) as Finalised
  yield* session.send({ type: 'recorded' })
  return finalised
}

/** Every node records what its party has signed, although the flow that signed is gone, and what its app observes. */
export const ReceiveBroadcast = defineResponder({
  name: 'carillon/ReceiveBroadcast',
  respondsTo: 'carillon/Broadcast',
  *run(_io, session): FlowBody<string> {
    const { transaction: signed } = yield* session.receive(FinalityC)
    yield* resolveDependencies(session, signed, { isUnasked: true })
    const question = { kind: 'record', transactions: [signed], unaskedFrom: session.party } as const
    const { id } = (yield* ask(question)) as Finalised
    yield* session.send({ type: 'recorded' })
    return id
  },
})

/** A notary's side of {@link NotariseFlow}. */
export const NotaryResponder = defineResponder({
  name: 'carillon/NotaryResponder',
  respondsTo: 'carillon/Notarise',
  *run(_io, session): FlowBody<void> {
    const { request } = yield* session.receive(t.strict({ type: t.literal('notarise'), request: NotaryRequestC }))
    if (request.type === 'whole')
      yield* resolveDependencies(session, request.transaction, { exceptKeys: [request.transaction.body.notary.key] })
    const signature = (yield* ask({ kind: 'notarise', request, caller: session.party })) as TransactionSignature
    yield* session.send({ type: 'signature', signature })
  },
})
