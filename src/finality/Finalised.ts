/**
 * A transaction that is on the ledger, as the flow that made it sees it.
 */
import { CarillonError } from '../errors/CarillonError.js'
import type { StateRef } from '../ledger/StateRef.js'
import type { TransactionId } from '../ledger/TransactionId.js'

/** A transaction that is on the ledger, with the refs of what it produced. */
export type Finalised = {
  readonly id: TransactionId
  /** The refs of the produced states, in the order they were produced. */
  readonly outputs: readonly StateRef[]
  /** The ref of one produced state; the first unless a place is given. */
  readonly output: (index?: number) => StateRef
}

export const finalised = (id: TransactionId, outputs: readonly StateRef[]): Finalised => ({
  id,
  outputs,
  output: (index = 0) => {
    const ref = outputs[index]
    if (ref !== undefined) return ref
    throw new CarillonError(
      'state-unknown',
      `Transaction ${id} has ${outputs.length} outputs; there is none at place ${index}.`,
      { transaction: id },
    )
  },
})
