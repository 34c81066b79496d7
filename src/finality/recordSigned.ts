/**
 * Records a transaction that several parties have signed. It is trusted for nothing: its id is computed anew,
 * every signature and every contract is checked, and its notary must be one this network trusts.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import type { FinalityReads } from './FinalityReads.js'
import { CarillonError } from '../errors/CarillonError.js'
import type { FlowId } from '../log/FlowId.js'
import { checkSignatures, needsNotary, type SignedTransaction } from '../ledger/SignedTransaction.js'
import { EncodedBody } from '../ledger/EncodedBody.js'
import { showRef } from '../ledger/StateRef.js'
import { notaryOfOutputs, outputDataText, sealBody, type TransactionBody } from '../ledger/Transaction.js'
import type { TransactionId } from '../ledger/TransactionId.js'
import { consumerOf } from '../notary/decideNotarisation.js'
import { checkNotary } from '../vault/checkNotary.js'
import { recordTransaction, type Recorded } from './recordTransaction.js'
import { verifyToRecord } from './verifyContracts.js'
import { requireRow } from '../vault/resolveBody.js'

/** Throws when something else has consumed a state: in this vault, or by this node's leave if it is the notary. */
export const checkUnconsumed = (reads: FinalityReads, id: TransactionId, body: TransactionBody): void => {
  for (const ref of body.inputs) {
    requireRow(reads, ref)
    const consumedBy = consumerOf(reads, ref)
    if (consumedBy === undefined || consumedBy === id) continue
    throw new CarillonError(
      'state-consumed',
      `State ${showRef(ref)} was already consumed by transaction ${consumedBy}; transaction ${id} cannot consume it too.`,
      { ref: showRef(ref), consumedBy },
    )
  }
}

/** The fact that records a transaction; none for one that is recorded already. */
export const recordSigned = (
  reads: FinalityReads,
  signed: SignedTransaction,
  flow: FlowId | undefined,
  role: 'final' | 'history' = 'final',
): Recorded => {
  const { body, signatures } = signed
  const { id, encoded } = sealBody(body)
  if (reads.views.transactions.find(id) !== undefined)
    return { kind: 'recorded', id, outputs: body.outputs.map((_, index) => ({ transaction: id, index })), events: [] }

  const signaturesChecked = checkSignatures(reads.network, id, signed, {
    role,
    retired: role === 'history' || needsNotary(body),
  })
  if (isLeft(signaturesChecked)) throw signaturesChecked.left
  checkNotary(reads, body, role)
  checkUnconsumed(reads, id, body)
  const { outputs } = verifyToRecord(reads, id, body)
  const texts = body.outputs.map((output, index) => {
    const { type, version, contract } = output
    return { type, version, contract, text: outputDataText(body, output, index) }
  })
  const written = new EncodedBody(encoded.text, body.inputs, notaryOfOutputs(body).key, texts)
  return recordTransaction(reads, { id, body: written, outputs, signatures }, flow)
}
