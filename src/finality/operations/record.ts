/**
 * Verifies transactions and records them, in this order.
 */
import { deciding, orThrow } from '../../errors/Decision.js'
import type { Party } from '../../identity/Party.js'
import type { SignedTransaction } from '../../ledger/SignedTransaction.js'
import { sealBody } from '../../ledger/Transaction.js'
import { assertAgreed } from '../assertAsked.js'
import type { Recorded } from '../recordTransaction.js'
import { recordSigned } from '../recordSigned.js'
import { oneByOne, valueAnswer } from '../../flow/Answer.js'
import { defineOperation } from '../../flow/defineOperation.js'
import { finalised } from '../Finalised.js'
import { reviveTransaction } from '../reviveTransaction.js'
import type { FinalityReads } from '../FinalityReads.js'

export type RecordTransactions = {
  readonly kind: 'record'
  readonly transactions: readonly SignedTransaction[]
  /** The party that sent them, where no flow of this party has asked for them. */
  readonly unaskedFrom?: Party
}

export const record = defineOperation<RecordTransactions, FinalityReads>({
  kind: 'record',
  statesFacts: true,
  identity: ({ transactions }) => ({ transactions: transactions.map(({ body }) => sealBody(body).id) }),
  label: ({ transactions: { length } }) => `record ${length} ${length === 1 ? 'transaction' : 'transactions'}`,
  decide: (reads, { transactions, unaskedFrom }, flow) => {
    let last: Recorded | undefined
    return oneByOne(
      transactions,
      deciding((signed: SignedTransaction) => {
        if (unaskedFrom !== undefined) assertAgreed(reads, sealBody(signed.body).id, signed.body, unaskedFrom)
        last = orThrow(recordSigned(reads, signed, flow))
        return last.events
      }),
      () => {
        if (last === undefined) return valueAnswer(undefined)
        const { id, outputs } = last
        return valueAnswer(finalised(id, outputs), { transaction: id, outputs: outputs.length })
      },
    )
  },
  revive: reviveTransaction,
})
