/**
 * Whether a transaction stands under a notary that this node trusts, and all its states under that same one. What
 * only this party is concerned with may stand under itself; for anyone else that would be no notary at all.
 */
import type { Decision } from '../decision/Decision.js'
import { CarillonError } from '../errors/CarillonError.js'
import { showRef } from '../ledger/StateRef.js'
import type { TransactionBody } from '../ledger/Transaction.js'
import { requireRow } from './resolveBody.js'

export const checkNotary = (decision: Decision, body: TransactionBody): void => {
  const { notary } = body
  for (const ref of [...body.inputs, ...body.references]) {
    const theirs = requireRow(decision, ref).notary ?? decision.me.key
    if (theirs !== notary.key) {
      throw new CarillonError(
        'notary-unknown',
        `State ${showRef(ref)} stands under another notary than the transaction, ${notary.name}. Change its notary first.`,
        { ref: showRef(ref), notary: notary.name },
      )
    }
  }
  // Also where no notary has to sign: what it produces could never be consumed in a way that others accept.
  if (notary.key === decision.me.key || decision.network.notaryKind(notary.key) !== undefined) return
  throw new CarillonError(
    'notary-unknown',
    `The transaction stands under ${notary.name}, which this node's network map does not list as a notary. A state notarised by its owner needs a change of notary before others accept it.`,
    { notary: notary.name },
  )
}
