/**
 * What the rules ask of the vault's tables. Deciders get the reading half, the vault's evolver both halves. Storage
 * implements them.
 */
import type { IndexedValues } from '../ledger/IndexedValue.js'
import type { StateRef } from '../ledger/StateRef.js'
import type { TransactionId } from '../ledger/TransactionId.js'
import type { StateRow } from './StateRow.js'
import type { TransactionRow } from './TransactionTable.js'

export interface TransactionsRead {
  readonly find: (id: TransactionId) => TransactionRow | undefined
  readonly get: (seq: number) => TransactionRow | undefined
  /** The sequence number of a transaction. */
  readonly locate: (id: string) => number | undefined
}

export interface StatesRead {
  readonly get: (seq: number) => Readonly<StateRow>
  readonly find: (ref: StateRef) => Readonly<StateRow> | undefined
  /** The unconsumed state of a type that is known by a key. */
  readonly withKey: (type: string, key: string) => Readonly<StateRow> | undefined
}

export interface StateIndexRead {
  /** The indexed values of a row, as they are stored. */
  readonly valuesOf: (row: Readonly<StateRow>) => IndexedValues | undefined
}

export interface SoftLocksRead {
  /** The flow that has reserved a state. */
  readonly holderOf: (stateSeq: number) => number | undefined
}

/** What deciders may ask of the vault. */
export interface VaultRead {
  readonly transactions: TransactionsRead
  readonly states: StatesRead
  readonly stateIndex: StateIndexRead
  readonly softLocks: SoftLocksRead
}
