/**
 * A transaction is signed once for whoever proposes it: a flow that is asked again could otherwise take the finality of one
 * sale for that of a second one.
 */
import { CarillonError } from '../errors/CarillonError.js'
import type { TransactionBody } from '../ledger/Transaction.js'
import type { TransactionId } from '../ledger/TransactionId.js'
import type { FinalityReads } from './FinalityReads.js'

/** Throws for a transaction that this party has signed or holds already. A change of notary can be completed by any of its signers. */
export const assertUnsigned = ({ views }: FinalityReads, id: TransactionId, { newNotary }: TransactionBody): void => {
  if (newNotary !== undefined) return
  if (!views.proposals.isSigned(id) && views.transactions.find(id) === undefined) return
  throw new CarillonError(
    'message-invalid',
    `Transaction ${id} was proposed before, and this party has signed or recorded it. Whoever means another one like it builds it anew.`,
    { transaction: id },
  )
}
