/**
 * What the rules ask of the tables of a notary: what it has seen consumed, and by which transaction.
 */
import type { StateRef } from '../ledger/StateRef.js'
import type { TransactionId } from '../ledger/TransactionId.js'

export interface SpentRead {
  readonly isNotarised: (id: TransactionId) => boolean
  /** The transaction that consumed a state, if one has. */
  readonly consumerOf: (ref: StateRef) => TransactionId | undefined
}

export interface Spent extends SpentRead {
  readonly insert: (id: TransactionId, inputs: readonly StateRef[], caller: string, revision: number) => void
}

/** What deciders may ask of the notary's tables. */
export interface NotaryRead {
  readonly spent: SpentRead
}

/** What the notary's evolver writes to. */
export interface NotaryTables extends NotaryRead {
  readonly spent: Spent
}
