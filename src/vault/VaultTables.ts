/**
 * What the rules ask of the vault's tables. Deciders get the reading half, the vault's evolver both halves. Storage
 * implements them.
 */
import type { IndexedValues } from '../ledger/IndexedValue.js'
import type { SignedTransaction } from '../ledger/SignedTransaction.js'
import type { StateRef } from '../ledger/StateRef.js'
import type { TransactionId } from '../ledger/TransactionId.js'
import type { FlowId } from '../log/FlowId.js'
import type { Page, VaultQuery } from './query/VaultQuery.js'
import type { Kind, NewState, StateDraft, StateRow } from './StateRow.js'
import type { TransactionRow } from './TransactionRow.js'

export interface TransactionsRead {
  readonly find: (id: TransactionId) => TransactionRow | undefined
  readonly get: (seq: number) => TransactionRow | undefined
  /** The sequence number of a transaction. */
  readonly locate: (id: string) => number | undefined
  /** Whether a transaction was recorded only because others build on it. */
  readonly isAncestor: (seq: number) => boolean
}

export interface Transactions extends TransactionsRead {
  /** The number the next transaction will get. */
  readonly nextSeq: number
  /** Adds a row; its number must be {@link nextSeq}. */
  readonly insert: (row: TransactionRow) => void
  /** A transaction is recorded only because others build on it, or for its own sake after all. */
  readonly markAncestor: (seq: number, isAncestor: boolean) => void
}

export interface StatesRead {
  readonly get: (seq: number) => StateRow
  readonly find: (ref: StateRef) => StateRow | undefined
  /** The unconsumed state of a type that is relevant here and known by a key. */
  readonly withKey: (type: string, key: string) => StateRow | undefined
}

export interface States extends StatesRead {
  readonly find: (ref: StateRef) => StateDraft | undefined
  /** The number the next output will get; a transaction's outputs are numbered in a row. */
  readonly nextSeq: number
  /** Adds a row; its number must be {@link nextSeq}. */
  readonly insert: (row: NewState) => StateRow
  /** To be called after changing what the app said about a row. */
  touch(row: StateDraft): void
  /** To be called after a row was consumed. */
  progress(row: StateDraft): void
}

export interface StateTypes {
  /** The number of a kind of state; one that is new is given the next. */
  readonly of: (kind: Omit<Kind, 'id'>) => Kind
}

export interface StateIndexRead {
  /** The indexed values of a row, as they are stored. */
  readonly valuesOf: (row: StateRow) => IndexedValues | undefined
}

/** Finds states by indexed fields and by the parties that share them. `me` is the key of this node's party. */
export interface StateIndex extends StateIndexRead {
  /** To be called for every new row. */
  readonly insert: (row: StateRow, indexed: IndexedValues | null, me: string | null) => void
  /** To be called for every row that is consumed. */
  readonly consume: (row: StateRow, me: string | null) => void
  /** To be called when the app says something new about a row, before the row is changed. */
  readonly remove: (row: StateRow, me: string | null) => void
}

export interface SoftLocksRead {
  /** The flow that has reserved a state. */
  readonly holderOf: (stateSeq: number) => FlowId | undefined
}

export interface SoftLocks extends SoftLocksRead {
  readonly lock: (stateSeq: number, flow: FlowId) => void
  readonly unlock: (stateSeq: number) => void
  /** To be called for every state that is consumed. */
  readonly consume: (stateSeq: number) => void
  /** To be called for every flow that ends. */
  readonly releaseOf: (flow: FlowId) => void
}

/** A key of a type of state. */
export type TypedKey = { readonly type: string; readonly key: string }

/** A key that is kept for a flow. */
export type Reservation = { readonly flow: FlowId; readonly sinceMs: number }

export interface ProposalsRead {
  /** The flow that has reserved a key while it collects signatures, and since when. */
  readonly reservation: (key: TypedKey) => Reservation | undefined
  /** Whether this party has signed a transaction whose finality is yet to come. */
  readonly isSigned: (id: TransactionId) => boolean
  /** A change of notary that this party has signed and whose finality is yet to come. */
  readonly notaryChange: (id: TransactionId) => SignedTransaction | undefined
}

export interface Proposals extends ProposalsRead {
  readonly reserve: (key: TypedKey, flow: FlowId, atMs: number) => void
  /** To be called for every flow that ends. */
  readonly releaseOf: (flow: FlowId) => void
  readonly sign: (id: TransactionId, proposal: SignedTransaction | undefined) => void
  /** To be called for every transaction with signatures that is recorded. */
  readonly settle: (id: TransactionId) => void
}

/** Where the clock went back between two transactions. */
export interface ClockSteps {
  /** To be called for every transaction, in log order. */
  readonly observe: (transactionSeq: number, atMs: number) => void
}

/** What was said about states before they were reassessed. */
export interface PastAssessments {
  /** Keeps what a row says until it is reassessed at a revision. */
  readonly insert: (row: StateRow, untilRevision: number) => void
}

/** What deciders may ask of the vault. */
export interface VaultRead {
  readonly transactions: TransactionsRead
  readonly states: StatesRead
  readonly stateIndex: StateIndexRead
  readonly softLocks: SoftLocksRead
  readonly proposals: ProposalsRead
  /** A page of the vault as it stands within the tick, for the flow that asks. */
  readonly query: (query: VaultQuery, flow: FlowId | undefined) => Page<StateRow, string>
}

/** What the vault's evolver writes to. */
export interface VaultTables extends VaultRead {
  readonly transactions: Transactions
  readonly states: States
  readonly stateIndex: StateIndex
  readonly softLocks: SoftLocks
  readonly proposals: Proposals
  readonly kinds: StateTypes
  readonly clockSteps: ClockSteps
  readonly pastAssessments: PastAssessments
}
