/**
 * Hears the contracts of a transaction that others have a part in. The same id is the same transaction, and contracts
 * depend on nothing else; so what was heard when it was proposed or signed need not be heard again to record it.
 */
import type { Registry } from '../app/Registry.js'
import type { Decision } from '../decision/Decision.js'
import type { LedgerTransaction } from '../ledger/LedgerTransaction.js'
import type { TransactionBody } from '../ledger/Transaction.js'
import type { TransactionId } from '../ledger/TransactionId.js'
import { limits } from '../limits.js'
import { resolveBody } from './resolveBody.js'
import { verifyResolved } from './verifyResolved.js'

/** What the contracts of an app have accepted and is yet to be recorded, oldest first. */
const accepted = new WeakMap<Registry, Map<TransactionId, LedgerTransaction>>()

/** Remembers a transaction that its contracts have accepted, until it is recorded. */
export const rememberAccepted = (
  { registry }: Decision,
  id: TransactionId,
  transaction: LedgerTransaction,
): LedgerTransaction => {
  const known = accepted.get(registry) ?? new Map<TransactionId, LedgerTransaction>()
  accepted.set(registry, known)
  known.set(id, transaction)
  const [oldest] = known.keys()
  if (known.size > limits.acceptedKept && oldest !== undefined) known.delete(oldest)
  return transaction
}

/** The transaction resolved and accepted by its contracts; throws what is wrong with it. */
export const examine = (decision: Decision, id: TransactionId, body: TransactionBody): LedgerTransaction => {
  const transaction = resolveBody(decision, id, body)
  verifyResolved(decision, transaction, body)
  return transaction
}

/** As {@link examine}, for the last time: a transaction that was accepted before is not examined again. */
export const examineToRecord = (decision: Decision, id: TransactionId, body: TransactionBody): LedgerTransaction => {
  const known = accepted.get(decision.registry)
  const before = known?.get(id)
  if (before === undefined) return examine(decision, id, body)
  known?.delete(id)
  return before
}
