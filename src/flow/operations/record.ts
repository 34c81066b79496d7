/**
 * Verifies transactions and records them, in this order.
 */
import type { SignedTransaction } from '../../ledger/SignedTransaction.js'
import { sealBody } from '../../ledger/Transaction.js'
import { recordSigned } from '../../vault/recordSigned.js'
import { valueAnswer } from '../Answer.js'
import { defineOperation } from '../defineOperation.js'
import { finalised } from '../Finalised.js'
import { reviveTransaction } from '../reviveTransaction.js'

export type RecordTransactions = { readonly kind: 'record'; readonly transactions: readonly SignedTransaction[] }

export const record = defineOperation<RecordTransactions>({
  kind: 'record',
  statesFacts: true,
  identity: ({ transactions }) => ({ transactions: transactions.map(({ body }) => sealBody(body).id) }),
  label: ({ transactions: { length } }) => `record ${length} ${length === 1 ? 'transaction' : 'transactions'}`,
  perform: (decision, { transactions }, flow) => {
    const last = transactions.map((signed) => recordSigned(decision, signed, flow)).at(-1)
    if (last === undefined) return valueAnswer(undefined)
    return valueAnswer(finalised(last.id, last.outputs), { transaction: last.id, outputs: last.outputs.length })
  },
  revive: reviveTransaction,
})
