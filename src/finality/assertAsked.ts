/**
 * Whether this node may record a final transaction that none of its flows has asked for: its party has signed it, or its
 * app agrees to observe it. That its party takes part in it is no consent.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import { CarillonError } from '../errors/CarillonError.js'
import type { Party } from '../identity/Party.js'
import type { TransactionBody } from '../ledger/Transaction.js'
import type { TransactionId } from '../ledger/TransactionId.js'
import type { FinalityReads } from './FinalityReads.js'
import { verifyContracts } from './verifyContracts.js'

const isOwn = ({ views }: FinalityReads, id: TransactionId): boolean => {
  const known = views.transactions.find(id)
  return views.proposals.isSigned(id) || (known !== undefined && !views.transactions.isAncestor(known.seq))
}

const unexpected = ({ me, registry }: FinalityReads, id: TransactionId, why: string): CarillonError =>
  new CarillonError(
    'finality-unexpected',
    `${me.name} has neither signed transaction ${id} nor asked for it: ${why}. Open a session in which a flow of app ${registry.app.name} asks for it, or let the app agree to observe it.`,
    { transaction: id },
  )

/** Throws for a transaction that could not be agreed to, whatever it is: its history is not even asked for. */
export const assertAskedFor = (reads: FinalityReads, id: TransactionId): void => {
  if (isOwn(reads, id) || reads.registry.app.agreesTo?.observe !== undefined) return
  throw unexpected(reads, id, `app ${reads.registry.app.name} agrees to observe nothing`)
}

/** Throws unless this party has signed the transaction, or its app agrees to observe it. */
export const assertAgreed = (reads: FinalityReads, id: TransactionId, body: TransactionBody, from: Party): void => {
  if (isOwn(reads, id)) return
  const observe = reads.registry.app.agreesTo?.observe
  if (observe === undefined) throw unexpected(reads, id, `app ${reads.registry.app.name} agrees to observe nothing`)
  const verdict = observe(verifyContracts(reads, id, body), from)
  if (isLeft(verdict)) throw unexpected(reads, id, verdict.left)
}
