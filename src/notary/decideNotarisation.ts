/**
 * A notary's decision: each state is consumed once, references are still unconsumed, the time window is open.
 * A transaction that was notarised before is signed again, whatever the time and whatever was consumed since.
 */
import type { NotaryReads } from './NotaryReads.js'
import { CarillonError } from '../errors/CarillonError.js'
import { deciding, orThrow } from '../errors/Decision.js'
import type { Party } from '../identity/Party.js'
import { checkSignatures, type SignedTransaction } from '../ledger/SignedTransaction.js'
import { showRef, type StateRef } from '../ledger/StateRef.js'
import { checkTearOff, showsAll, type TearOff } from '../ledger/TearOff.js'
import type { TimeWindow } from '../ledger/TimeWindow.js'
import { sealBody } from '../ledger/Transaction.js'
import type { TransactionId } from '../ledger/TransactionId.js'
import type { DomainEvent } from '../log/events.js'
import { checkNotary } from '../vault/checkNotary.js'
import { resolveBody } from '../vault/resolveBody.js'
import type { StateRow } from '../vault/StateRow.js'
import { verifyResolved } from '../vault/verifyResolved.js'
import { checkClaims } from './checkClaims.js'
import { verifyRequest, type NotaryRequest } from './NotaryRequest.js'

type Case = {
  readonly id: TransactionId
  readonly notary: Party
  readonly inputs: readonly StateRef[]
  readonly references: readonly StateRef[]
  readonly timeWindow: TimeWindow | undefined
}

const assertMine = (reads: NotaryReads, id: TransactionId, notary: Party): void => {
  if (notary.key === reads.me.key) return
  throw new CarillonError(
    'notary-unknown',
    `Transaction ${id} names ${notary.name} as its notary, not ${reads.me.name}.`,
    { transaction: id, notary: notary.name },
  )
}

/** Whether this notary has let a transaction pass before. */
const isNotarised = ({ views: { spent, transactions } }: NotaryReads, id: TransactionId): boolean =>
  spent.isNotarised(id) || transactions.find(id) !== undefined

/** A whole transaction is verified like any other; only this notary's own signature may still be missing. */
const caseOfWhole = (reads: NotaryReads, signed: SignedTransaction): Case => {
  const { body } = signed
  const { id } = sealBody(body)
  assertMine(reads, id, body.notary)
  orThrow(
    checkSignatures(reads.network, id, signed, {
      except: [reads.me.key],
      retired: isNotarised(reads, id),
    }),
  )
  checkNotary(reads, body)
  verifyResolved(reads, resolveBody(reads, id, body), body)
  return { id, notary: body.notary, inputs: body.inputs, references: body.references, timeWindow: body.timeWindow }
}

/** A reference that stands under another notary may be consumed there without this one ever hearing of it. */
const checkReferenced = (reads: NotaryReads, references: readonly StateRef[], shown: readonly TearOff[]): void => {
  const notaries = new Map(
    shown.map((torn) => {
      const visible = orThrow(checkTearOff(torn))
      return [torn.id, visible.newNotary ?? visible.notary] as const
    }),
  )
  for (const ref of references) {
    const notary = notaries.get(ref.transaction)
    if (notary?.key === reads.me.key) continue
    throw new CarillonError(
      notary === undefined ? 'transaction-malformed' : 'notary-unknown',
      notary === undefined
        ? `The request does not show which notary the referenced state ${showRef(ref)} stands under.`
        : `The referenced state ${showRef(ref)} stands under ${notary.name}, not under ${reads.me.name}. Change its notary first.`,
      { ref: showRef(ref) },
    )
  }
}

const caseOfTearOff = (
  reads: NotaryReads,
  { tearOff: torn, referenced = [] }: Extract<NotaryRequest, { readonly type: 'tearOff' }>,
): Case => {
  const visible = orThrow(checkTearOff(torn))
  const { id, notary, inputs, references } = visible
  assertMine(reads, id, notary)
  if (!showsAll(visible, 'inputs') || !showsAll(visible, 'references')) {
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
  checkReferenced(reads, references, referenced)
  return visible
}

/** Reads the request and checks everything about it that does not depend on what was notarised before. */
const caseOf = (reads: NotaryReads, request: NotaryRequest): Case => {
  const kind = reads.network.notaryKind(reads.me.key)
  // Its own states stand under itself; others have no business consuming them here.
  if (kind === undefined)
    throw new CarillonError('notary-unknown', `${reads.me.name} is not a notary of this network.`, {
      notary: reads.me.name,
    })
  if (request.type === 'whole') return caseOfWhole(reads, request.transaction)
  if (kind === 'validating')
    throw new CarillonError(
      'transaction-malformed',
      `${reads.me.name} is a validating notary and must be shown the whole transaction, not a tear-off.`,
    )
  return caseOfTearOff(reads, request)
}

/** What has consumed a state: as this notary has let it, or as it has recorded for itself. */
export const consumerOf = (reads: NotaryReads, ref: StateRef): TransactionId | undefined => {
  const row = reads.views.states.find(ref)
  return row === undefined ? reads.views.spent.consumerOf(ref) : consumerOfRow(reads, row)
}

/** As {@link consumerOf}, for a state whose row is at hand. */
export const consumerOfRow = (
  reads: NotaryReads,
  { ref, consumedBy }: Pick<StateRow, 'ref' | 'consumedBy'>,
): TransactionId | undefined => {
  const notarised = reads.views.spent.consumerOf(ref)
  if (notarised !== undefined || consumedBy === null) return notarised
  return reads.views.transactions.get(consumedBy)?.id
}

const decideCase = (
  reads: NotaryReads,
  { id, inputs, references, timeWindow }: Case,
  caller: Party,
): readonly DomainEvent[] => {
  if (isNotarised(reads, id)) return []
  const claims = [...inputs, ...references].map((ref) => ({ ref, consumedBy: consumerOf(reads, ref) }))
  orThrow(checkClaims(claims, timeWindow, reads.now))
  return [{ type: 'TransactionNotarised', id, inputs, caller: caller.key }]
}

/** Which transaction this notary signs, and what it records before. */
export type Notarisation = { readonly id: TransactionId; readonly events: readonly DomainEvent[] }

export const decideNotarisation = deciding(
  (reads: NotaryReads, request: NotaryRequest, caller: Party): Notarisation => {
    const examined = caseOf(reads, request)
    const { id } = examined
    if (!verifyRequest(reads.network.currentKeyOf(caller.key), reads.network.id, id, request.callerSignature)) {
      throw new CarillonError(
        'signature-invalid',
        `The request to notarise ${id} is not signed by ${caller.name}, who sent it.`,
        { transaction: id },
      )
    }
    return { id, events: decideCase(reads, examined, caller) }
  },
)

/**
 * The decision of a party that is the notary too, before it signs. There is only one signature by one key, so whoever
 * has it has the notary's consent: it is given last, and never without this decision.
 */
export const notariseOwn = deciding((reads: NotaryReads, signed: SignedTransaction): readonly DomainEvent[] =>
  decideCase(reads, caseOfWhole(reads, signed), reads.me),
)

/**
 * What a party decides before it signs a change of notary. Of states that stand under itself it is the notary so far: it
 * lets them go first, so that nothing else here consumes them while the new notary is asked.
 */
export const releaseOwn = deciding((reads: NotaryReads, { body }: SignedTransaction): readonly DomainEvent[] => {
  const { id } = sealBody(body)
  const { inputs, references, notary, timeWindow } = body
  const isOwn = inputs.every((ref) => reads.views.states.find(ref)?.notary === null)
  return isOwn ? decideCase(reads, { id, notary, inputs, references, timeWindow }, reads.me) : []
})
