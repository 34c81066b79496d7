/**
 * A notary's decision: each state is consumed once, references are still unconsumed, the time window is open.
 * A transaction that was notarised before is signed again, whatever the time and whatever was consumed since.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import type { Decision } from '../decision/Decision.js'
import { CarillonError } from '../errors/CarillonError.js'
import type { Party } from '../identity/Party.js'
import { signTransaction, type TransactionSignature } from '../ledger/signatures.js'
import { checkSignatures } from '../ledger/SignedTransaction.js'
import type { StateRef } from '../ledger/StateRef.js'
import { checkTearOff, showsAll } from '../ledger/TearOff.js'
import type { TimeWindow } from '../ledger/TimeWindow.js'
import { sealBody } from '../ledger/Transaction.js'
import type { TransactionId } from '../ledger/TransactionId.js'
import { verifyTransaction } from '../ledger/verifyTransaction.js'
import { resolveBody } from '../vault/resolveBody.js'
import { notarise } from './notarise.js'
import { verifyRequest, type NotaryRequest } from './NotaryRequest.js'

type Case = {
  readonly id: TransactionId
  readonly notary: Party
  readonly inputs: readonly StateRef[]
  readonly references: readonly StateRef[]
  readonly timeWindow: TimeWindow | undefined
}

/** Reads the request and checks everything about it that does not depend on what was notarised before. */
const caseOf = (decision: Decision, request: NotaryRequest): Case => {
  if (request.type === 'whole') {
    const { body } = request.transaction
    const { id } = sealBody(body)
    const signatures = checkSignatures(id, request.transaction, [decision.me.key])
    if (isLeft(signatures)) throw signatures.left
    const verified = verifyTransaction(resolveBody(decision, id, body), decision.registry.contract)
    if (isLeft(verified)) throw verified.left
    return { id, notary: body.notary, inputs: body.inputs, references: body.references, timeWindow: body.timeWindow }
  }
  const visible = checkTearOff(request.tearOff)
  if (isLeft(visible)) throw visible.left
  if (!showsAll(visible.right, 'inputs') || !showsAll(visible.right, 'references')) {
    throw new CarillonError(
      'transaction-malformed',
      'The tear-off hides some of the states the transaction consumes or references; a notary must see them all.',
    )
  }
  return visible.right
}

/** What has consumed a state: as this notary has let it, or as it has recorded for itself. */
export const consumerOf = (decision: Decision, ref: StateRef): TransactionId | undefined => {
  const notarised = decision.views.spent.consumerOf(ref)
  if (notarised !== undefined) return notarised
  const consumedBy = decision.views.states.find(ref)?.consumedBy ?? null
  return consumedBy === null ? undefined : decision.views.transactions.get(consumedBy)?.id
}

export const decideNotarisation = (decision: Decision, request: NotaryRequest, caller: Party): TransactionSignature => {
  const { id, notary, inputs, references, timeWindow } = caseOf(decision, request)
  if (!verifyRequest(caller.key, id, request.callerSignature)) {
    throw new CarillonError(
      'signature-invalid',
      `The request to notarise ${id} is not signed by ${caller.name}, who sent it.`,
      { transaction: id },
    )
  }
  if (notary.key !== decision.me.key) {
    throw new CarillonError(
      'notary-unknown',
      `Transaction ${id} names ${notary.name} as its notary, not ${decision.me.name}.`,
      { transaction: id },
    )
  }
  const { spent } = decision.views
  if (!spent.isNotarised(id)) {
    const claims = [...inputs, ...references].map((ref) => ({ ref, consumedBy: consumerOf(decision, ref) }))
    const verdict = notarise(claims, timeWindow, decision.now)
    if (isLeft(verdict)) throw verdict.left
    decision.emit({ type: 'TransactionNotarised', id, inputs, caller: caller.key })
  }
  return signTransaction(decision.key, id)
}
