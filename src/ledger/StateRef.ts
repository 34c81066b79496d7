/**
 * Where a state comes from: the transaction that produced it and its place among the outputs.
 */
import * as t from 'io-ts'
import { IntegerC } from '../encoding/IntegerC.js'
import { CarillonError } from '../errors/CarillonError.js'
import { TransactionIdC } from './TransactionId.js'

export { showRef } from './showRef.js'

/** Codec of a state ref in a state or a flow input. */
export const StateRefC = t.readonly(t.strict({ transaction: TransactionIdC, index: IntegerC }), 'StateRef')
/** Where a state comes from: the transaction that produced it, and its place among the outputs. */
export type StateRef = t.TypeOf<typeof StateRefC>

/** The canonical text of a ref. */
export const refText = (ref: StateRef): string => `{"index":${ref.index},"transaction":"${ref.transaction}"}`

const pattern = /^([0-9a-f]{64}):(0|[1-9]\d{0,5})$/

/** Reads what `showRef` writes. */
export const parseRef = (text: string): StateRef => {
  const [, transaction, index] = pattern.exec(text) ?? []
  if (!TransactionIdC.is(transaction)) {
    throw new CarillonError(
      'state-unknown',
      `"${text}" is not a state ref. A state ref is the 64 hex digits of a transaction id, a colon and the output's index.`,
      { ref: text },
    )
  }
  return { transaction, index: Number(index) }
}

/** Whether two refs name the same state. */
export const sameRef = (a: StateRef, b: StateRef): boolean => a.index === b.index && a.transaction === b.transaction
