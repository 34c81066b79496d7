/**
 * What a transaction came to, from its record: recorded on the ledger, or a proposal that others have yet to sign.
 */
import * as t from 'io-ts'
import type { FinalityReads } from './FinalityReads.js'
import { IntegerC } from '../encoding/IntegerC.js'
import { sealBody, TransactionBodyC } from '../ledger/Transaction.js'
import { TransactionIdC } from '../ledger/TransactionId.js'
import type { RecordedOperation } from '../log/events.js'
import { participantsOf, type Proposal } from './decideTransaction.js'
import { resolveBody } from '../vault/resolveBody.js'
import { decodeResult } from '../flow/decodeResult.js'
import { finalised, type Finalised } from './Finalised.js'

const ResultC = t.union([
  t.strict({ transaction: TransactionIdC, outputs: IntegerC }),
  t.strict({ proposal: TransactionBodyC }),
  t.undefined,
])

export const reviveTransaction = (
  reads: FinalityReads,
  _operation: unknown,
  recorded: RecordedOperation,
): Finalised | Proposal | undefined => {
  const found = decodeResult(ResultC, recorded)
  if (found === undefined) return undefined
  if ('proposal' in found) {
    const { id } = sealBody(found.proposal)
    return {
      kind: 'proposal',
      id,
      body: found.proposal,
      participants: participantsOf(resolveBody(reads, id, found.proposal)),
    }
  }
  const { transaction, outputs } = found
  return finalised(
    transaction,
    Array.from({ length: outputs }, (_, index) => ({ transaction, index })),
  )
}
