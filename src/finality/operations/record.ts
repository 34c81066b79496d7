/**
 * Verifies transactions and records them, in this order.
 */
import type { SignedTransaction } from '../../ledger/SignedTransaction.js'
import { sealBody } from '../../ledger/Transaction.js'
import type { Recorded } from '../recordTransaction.js'
import { recordSigned } from '../recordSigned.js'
import { oneByOne, valueAnswer } from '../../flow/Answer.js'
import { defineOperation } from '../../flow/defineOperation.js'
import { finalised } from '../Finalised.js'
import { reviveTransaction } from '../reviveTransaction.js'
import type { FinalityReads } from '../FinalityReads.js'

export type RecordTransactions = { readonly kind: 'record'; readonly transactions: readonly SignedTransaction[] }

export const record = defineOperation<RecordTransactions, FinalityReads>({
  kind: 'record',
  statesFacts: true,
  identity: ({ transactions }) => ({ transactions: transactions.map(({ body }) => sealBody(body).id) }),
  label: ({ transactions: { length } }) => `record ${length} ${length === 1 ? 'transaction' : 'transactions'}`,
  decide: (reads, { transactions }, flow) => {
    let last: Recorded | undefined
    return oneByOne(
      transactions,
      (signed) => {
        last = recordSigned(reads, signed, flow)
        return last.events
      },
      () => {
        if (last === undefined) return valueAnswer(undefined)
        const { id, outputs } = last
        return valueAnswer(finalised(id, outputs), { transaction: id, outputs: outputs.length })
      },
    )
  },
  revive: reviveTransaction,
})
