/**
 * What a transaction came to, from its record: recorded on the ledger, or a proposal that others have yet to sign.
 */
import * as t from 'io-ts'
import type { Decision } from '../decision/Decision.js'
import { IntegerC } from '../encoding/IntegerC.js'
import { sealBody, TransactionBodyC } from '../ledger/Transaction.js'
import { TransactionIdC } from '../ledger/TransactionId.js'
import type { RecordedOperation } from '../log/events.js'
import { participantsOf, type Proposal } from '../vault/decideTransaction.js'
import { resolveBody } from '../vault/resolveBody.js'
import { decodeResult } from './decodeResult.js'
import { finalised, type Finalised } from './Finalised.js'

const ResultC = t.union([
  t.strict({ transaction: TransactionIdC, outputs: IntegerC }),
  t.strict({ proposal: TransactionBodyC }),
  t.undefined,
])

export const reviveTransaction = (
  decision: Decision,
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
      participants: participantsOf(resolveBody(decision, id, found.proposal)),
    }
  }
  const { transaction, outputs } = found
  return finalised(
    transaction,
    Array.from({ length: outputs }, (_, index) => ({ transaction, index })),
  )
}
