/**
 * The states of a transaction as contracts ask for them: the data of each kind, by what becomes of it.
 */
import type { LedgerTransaction, StateKind } from 'carillon'

export type StatesIn = {
  readonly consumed: <A>(kind: StateKind<A>) => readonly A[]
  readonly produced: <A>(kind: StateKind<A>) => readonly A[]
  /** What is consumed or only read. */
  readonly found: <A>(kind: StateKind<A>) => readonly A[]
}

export const statesIn = (transaction: LedgerTransaction): StatesIn => ({
  consumed: (kind) => transaction.inputsOf(kind).map(({ data }) => data),
  produced: (kind) => transaction.outputsOf(kind).map(({ data }) => data),
  found: (kind) => [...transaction.inputsOf(kind), ...transaction.referencesOf(kind)].map(({ data }) => data),
})
