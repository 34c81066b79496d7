/**
 * Asks the contracts about a transaction that others take part in. The same id is the same transaction, and contracts
 * depend on nothing else; so what they accepted when it was proposed or signed is not asked again to record it.
 */
import type { Definitions } from '../ledger/Definitions.js'
import type { LedgerTransaction } from '../ledger/LedgerTransaction.js'
import type { TransactionBody } from '../ledger/Transaction.js'
import type { TransactionId } from '../ledger/TransactionId.js'
import { finalityLimits } from './limits.js'
import { resolveBody } from '../vault/resolveBody.js'
import type { VaultReads } from '../vault/VaultReads.js'
import { verifyResolved } from '../vault/verifyResolved.js'

/** What the contracts of an app have accepted and is yet to be recorded, oldest first. */
const accepted = new WeakMap<Definitions, Map<TransactionId, LedgerTransaction>>()

/** Remembers a transaction that its contracts have accepted, until it is recorded. */
export const rememberAccepted = (
  { registry }: VaultReads,
  id: TransactionId,
  transaction: LedgerTransaction,
): LedgerTransaction => {
  const known = accepted.get(registry) ?? new Map<TransactionId, LedgerTransaction>()
  accepted.set(registry, known)
  known.set(id, transaction)
  const [oldest] = known.keys()
  if (known.size > finalityLimits.acceptedKept && oldest !== undefined) known.delete(oldest)
  return transaction
}

/** The transaction resolved and accepted by its contracts; throws what is wrong with it. */
export const verifyContracts = (reads: VaultReads, id: TransactionId, body: TransactionBody): LedgerTransaction => {
  const transaction = resolveBody(reads, id, body)
  verifyResolved(reads, transaction, body)
  return transaction
}

/** The transaction as its contracts see it: as they have accepted it, if it is remembered. They are not asked again. */
export const resolveAccepted = (reads: VaultReads, id: TransactionId, body: TransactionBody): LedgerTransaction =>
  accepted.get(reads.registry)?.get(id) ?? resolveBody(reads, id, body)

/** As {@link verifyContracts}, for the last time: a transaction that was accepted before is not verified again. */
export const verifyToRecord = (reads: VaultReads, id: TransactionId, body: TransactionBody): LedgerTransaction => {
  const known = accepted.get(reads.registry)
  const before = known?.get(id)
  if (before === undefined) return verifyContracts(reads, id, body)
  known?.delete(id)
  return before
}
