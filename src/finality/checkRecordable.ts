/**
 * Whether this node could record a transaction once it is final. Everything that could keep it from that is asked before
 * anyone signs and before a notary is asked: what a notary has let pass and nobody can record would freeze its inputs.
 */
import { canonicalText, utf8Length } from '../encoding/canonical.js'
import { CarillonError } from '../errors/CarillonError.js'
import type { LedgerTransaction } from '../ledger/LedgerTransaction.js'
import { requiredKeys } from '../ledger/SignedTransaction.js'
import { sealBody, type TransactionBody } from '../ledger/Transaction.js'
import { logLimits } from '../log/limits.js'
import type { EventOf } from '../log/events.js'
import type { FlowId } from '../log/FlowId.js'
import { checkLocks } from '../flow/checkLocks.js'
import { checkKeys } from '../vault/checkKeys.js'
import { checkNotary } from '../vault/checkNotary.js'
import { requireRow } from '../vault/resolveBody.js'
import type { FinalityReads } from './FinalityReads.js'
import { checkUnconsumed } from './recordSigned.js'
import { assessOutputs, keyUseOf } from './recordTransaction.js'

/** Room for one signature with the proof of the tick it was made in, and for the members around it. */
const signatureBytes = 4_096

/**
 * Throws what would keep this node from recording a transaction that its contracts have accepted. Gives the fact that
 * reserves the keys it is the first to take; none when there are no such keys, or the flow has reserved them already.
 */
export const checkRecordable = (
  reads: FinalityReads,
  body: TransactionBody,
  { outputs }: LedgerTransaction,
  flow: FlowId,
): readonly EventOf<'KeysReserved'>[] => {
  const { id, encoded } = sealBody(body)
  if (reads.views.transactions.find(id) !== undefined) return []
  checkNotary(reads, body)
  checkUnconsumed(reads, id, body)
  checkLocks(
    reads,
    body.inputs.map((ref) => requireRow(reads, ref)),
    flow,
  )
  const assessments = assessOutputs(reads, outputs)
  const bytes =
    utf8Length(encoded.text) + utf8Length(canonicalText(assessments)) + (requiredKeys(body).length + 1) * signatureBytes
  if (bytes > logLimits.factBytes)
    throw new CarillonError(
      'fact-too-large',
      `Transaction ${id} would take up to ${bytes} bytes in the log with all its signatures, more than the ${logLimits.factBytes} bytes of one fact. Split it.`,
      { bytes },
    )
  const keys = checkKeys(reads, keyUseOf(body.inputs, outputs, assessments), flow)
  const free = keys.filter((key) => reads.views.proposals.reservation(key)?.flow !== flow)
  if (free.length === 0) return []
  const lapsed = [...new Set(free.flatMap((key) => reads.views.proposals.reservation(key)?.flow ?? []))]
  return [{ type: 'KeysReserved', flow, keys: free, ...(lapsed.length === 0 ? {} : { lapsed }) }]
}
