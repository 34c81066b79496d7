/**
 * A notary's decision: each state is consumed once, references are still unconsumed, the time window is open.
 * A transaction that was notarised before is signed again, whatever the time and whatever was consumed since.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import type { Decision, SigningDecision } from '../decision/Decision.js'
import { CarillonError } from '../errors/CarillonError.js'
import type { Party } from '../identity/Party.js'
import { signTransaction, type TransactionSignature } from '../ledger/signatures.js'
import { checkSignatures, type SignedTransaction } from '../ledger/SignedTransaction.js'
import { showRef, type StateRef } from '../ledger/StateRef.js'
import { checkTearOff, showsAll, type TearOff } from '../ledger/TearOff.js'
import type { TimeWindow } from '../ledger/TimeWindow.js'
import { sealBody } from '../ledger/Transaction.js'
import type { TransactionId } from '../ledger/TransactionId.js'
import { checkNotary } from '../vault/checkNotary.js'
import { resolveBody } from '../vault/resolveBody.js'
import type { StateRow } from '../vault/StateRow.js'
import { verifyResolved } from '../vault/verifyResolved.js'
import { notarise } from './notarise.js'
import { verifyRequest, type NotaryRequest } from './NotaryRequest.js'

type Case = {
  readonly id: TransactionId
  readonly notary: Party
  readonly inputs: readonly StateRef[]
  readonly references: readonly StateRef[]
  readonly timeWindow: TimeWindow | undefined
}

const assertMine = (decision: Decision, id: TransactionId, notary: Party): void => {
  if (notary.key === decision.me.key) return
  throw new CarillonError(
    'notary-unknown',
    `Transaction ${id} names ${notary.name} as its notary, not ${decision.me.name}.`,
    { transaction: id, notary: notary.name },
  )
}

/** Whether this notary has let a transaction pass before. */
const isNotarised = ({ views: { spent, transactions } }: Decision, id: TransactionId): boolean =>
  spent.isNotarised(id) || transactions.find(id) !== undefined

/** A whole transaction is verified like any other; only this notary's own signature may still be missing. */
const caseOfWhole = (decision: Decision, signed: SignedTransaction): Case => {
  const { body } = signed
  const { id } = sealBody(body)
  assertMine(decision, id, body.notary)
  const signatures = checkSignatures(decision.network, id, signed, {
    except: [decision.me.key],
    retired: isNotarised(decision, id),
  })
  if (isLeft(signatures)) throw signatures.left
  checkNotary(decision, body)
  verifyResolved(decision, resolveBody(decision, id, body), body)
  return { id, notary: body.notary, inputs: body.inputs, references: body.references, timeWindow: body.timeWindow }
}

const caseOfTearOff = (decision: Decision, torn: TearOff): Case => {
  const visible = checkTearOff(torn)
  if (isLeft(visible)) throw visible.left
  const { id, notary, inputs, references } = visible.right
  assertMine(decision, id, notary)
  if (!showsAll(visible.right, 'inputs') || !showsAll(visible.right, 'references')) {
    throw new CarillonError(
      'transaction-malformed',
      'The tear-off hides some of the states the transaction consumes or references; a notary must see them all.',
    )
  }
  const refs = [...inputs, ...references].map(showRef)
  if (new Set(refs).size < refs.length) {
    throw new CarillonError(
      'transaction-malformed',
      'The transaction names the same state more than once among those it consumes and references.',
      { transaction: id },
    )
  }
  return visible.right
}

/** Reads the request and checks everything about it that does not depend on what was notarised before. */
const caseOf = (decision: Decision, request: NotaryRequest): Case => {
  const kind = decision.network.notaryKind(decision.me.key)
  // Its own states stand under itself; others have no business consuming them here.
  if (kind === undefined)
    throw new CarillonError('notary-unknown', `${decision.me.name} is not a notary of this network.`, {
      notary: decision.me.name,
    })
  if (request.type === 'whole') return caseOfWhole(decision, request.transaction)
  if (kind === 'validating')
    throw new CarillonError(
      'transaction-malformed',
      `${decision.me.name} is a validating notary and must be shown the whole transaction, not a tear-off.`,
    )
  return caseOfTearOff(decision, request.tearOff)
}

/** What has consumed a state: as this notary has let it, or as it has recorded for itself. */
export const consumerOf = (decision: Decision, ref: StateRef): TransactionId | undefined => {
  const row = decision.views.states.find(ref)
  return row === undefined ? decision.views.spent.consumerOf(ref) : consumerOfRow(decision, row)
}

/** As {@link consumerOf}, for a state whose row is at hand. */
export const consumerOfRow = (decision: Decision, { ref, consumedBy }: StateRow): TransactionId | undefined => {
  const notarised = decision.views.spent.consumerOf(ref)
  if (notarised !== undefined || consumedBy === null) return notarised
  return decision.views.transactions.get(consumedBy)?.id
}

const decideCase = (decision: Decision, { id, inputs, references, timeWindow }: Case, caller: Party): void => {
  if (isNotarised(decision, id)) return
  const claims = [...inputs, ...references].map((ref) => ({ ref, consumedBy: consumerOf(decision, ref) }))
  const verdict = notarise(claims, timeWindow, decision.now)
  if (isLeft(verdict)) throw verdict.left
  decision.emit({ type: 'TransactionNotarised', id, inputs, caller: caller.key })
}

export const decideNotarisation = (
  decision: SigningDecision,
  request: NotaryRequest,
  caller: Party,
): TransactionSignature => {
  const examined = caseOf(decision, request)
  const { id } = examined
  if (!verifyRequest(decision.network.currentKeyOf(caller.key), decision.network.id, id, request.callerSignature)) {
    throw new CarillonError(
      'signature-invalid',
      `The request to notarise ${id} is not signed by ${caller.name}, who sent it.`,
      { transaction: id },
    )
  }
  decideCase(decision, examined, caller)
  return signTransaction(decision.key, decision.network.id, id)
}

/**
 * The signature of a party that is the notary too. There is only one signature by one key, so whoever has it has
 * the notary's word: it is given last, and never without the notary's decision.
 */
export const notariseOwn = (decision: SigningDecision, signed: SignedTransaction): TransactionSignature => {
  const examined = caseOfWhole(decision, signed)
  decideCase(decision, examined, decision.me)
  return signTransaction(decision.key, decision.network.id, examined.id)
}

/**
 * A party's signature under a change of notary. Of states that stand under itself it is the notary so far: it
 * lets them go first, so that nothing else here consumes them while the new notary is asked.
 */
export const signChange = (decision: SigningDecision, { body }: SignedTransaction): TransactionSignature => {
  const { id } = sealBody(body)
  const { inputs, references, notary, timeWindow } = body
  const isOwn = inputs.every((ref) => decision.views.states.find(ref)?.notary === null)
  if (isOwn) decideCase(decision, { id, notary, inputs, references, timeWindow }, decision.me)
  return signTransaction(decision.key, decision.network.id, id)
}
