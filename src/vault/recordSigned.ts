/**
 * Records a transaction that several parties have signed. It is trusted for nothing: its id is computed anew,
 * every signature and every contract is checked, and its notary must be one this network trusts.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import type { Decision } from '../decision/Decision.js'
import { CarillonError, NodeFault } from '../errors/CarillonError.js'
import type { FlowId } from '../log/FlowId.js'
import { checkSignatures, needsNotary, type SignedTransaction } from '../ledger/SignedTransaction.js'
import { showRef, type StateRef } from '../ledger/StateRef.js'
import { notaryOfOutputs, outputDataText, sealBody, type TransactionBody } from '../ledger/Transaction.js'
import type { TransactionId } from '../ledger/TransactionId.js'
import { consumerOf } from '../notary/decideNotarisation.js'
import { assess } from '../agenda/assess.js'
import { checkNotary } from './checkNotary.js'
import { examineToRecord } from './examine.js'
import { requireRow } from './resolveBody.js'
import type { TransactionParts } from './TransactionParts.js'

/** Throws when something else has consumed a state: in this vault, or by this node's leave if it is the notary. */
export const checkUnconsumed = (decision: Decision, id: TransactionId, body: TransactionBody): void => {
  for (const ref of body.inputs) {
    requireRow(decision, ref)
    const consumedBy = consumerOf(decision, ref)
    if (consumedBy === undefined || consumedBy === id) continue
    throw new CarillonError(
      'state-consumed',
      `State ${showRef(ref)} was already consumed by transaction ${consumedBy}; transaction ${id} cannot consume it too.`,
      { ref: showRef(ref), consumedBy },
    )
  }
}

/** Records the transaction and gives the refs of its outputs; one that is recorded already is left as it is. */
export const recordSigned = (
  decision: Decision,
  signed: SignedTransaction,
  flow: FlowId | undefined,
  role: 'final' | 'history' = 'final',
): { readonly id: TransactionId; readonly outputs: readonly StateRef[] } => {
  const { body, signatures } = signed
  const { id, encoded } = sealBody(body)
  const outputs = body.outputs.map((_, index) => ({ transaction: id, index }))
  if (decision.views.transactions.find(id) !== undefined) return { id, outputs }

  const signaturesChecked = checkSignatures(decision.network, id, signed, {
    role,
    retired: role === 'history' || needsNotary(body),
  })
  if (isLeft(signaturesChecked)) throw signaturesChecked.left
  checkNotary(decision, body, role)
  checkUnconsumed(decision, id, body)
  const transaction = examineToRecord(decision, id, body)

  const assessed = transaction.outputs.map(({ definition, data, ref }) => assess(decision, definition, data, ref))
  const parts: TransactionParts = {
    inputs: body.inputs,
    notary: notaryOfOutputs(body).key,
    outputs: body.outputs.map((output, index) => {
      const { type, version, contract } = output
      const assessment = assessed[index]?.parts
      if (assessment === undefined) throw new NodeFault('invariant-broken', `output ${index} of ${id} was not assessed`)
      return { type, version, contract, text: outputDataText(body, output, index), assessment }
    }),
  }
  decision.emit(
    {
      type: 'TransactionRecorded',
      id,
      body: encoded,
      assessments: assessed.map(({ assessment }) => assessment),
      signatures,
      ...(flow === undefined ? {} : { flow }),
    },
    parts,
  )
  return { id, outputs }
}
