/**
 * Records a transaction that several parties have signed. It is trusted for nothing: its id is computed anew,
 * every signature and every contract is checked, and its notary must be one this network trusts.
 */
import type { FinalityReads } from './FinalityReads.js'
import { CarillonError } from '../errors/CarillonError.js'
import { deciding, orThrow } from '../errors/Decision.js'
import { asAncestor } from '../ledger/assess.js'
import type { FlowId } from '../log/FlowId.js'
import { checkSignatures, needsNotary, type SignedTransaction } from '../ledger/SignedTransaction.js'
import { EncodedBody } from '../ledger/EncodedBody.js'
import { showRef } from '../ledger/StateRef.js'
import { notaryOfOutputs, outputDataText, sealBody, type TransactionBody } from '../ledger/Transaction.js'
import type { TransactionId } from '../ledger/TransactionId.js'
import { consumerOf } from '../notary/decideNotarisation.js'
import { checkNotary } from '../vault/checkNotary.js'
import { assessOutputs, keyUseOf, recordTransaction, type Recorded } from './recordTransaction.js'
import { verifyToRecord } from './verifyContracts.js'
import { settleKeys } from '../vault/checkKeys.js'
import { requireRow, resolveBody } from '../vault/resolveBody.js'

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

/** A transaction that was recorded only as an ancestor is final after all: its states are asked now what they are. */
const acceptAncestor = (reads: FinalityReads, id: TransactionId, body: TransactionBody): Recorded['events'] => {
  const { outputs } = resolveBody(reads, id, body)
  const unconsumed = outputs.filter(({ ref }) => reads.views.states.find(ref)?.untilRevision === null)
  const assessments = settleKeys(reads, keyUseOf(body.inputs, unconsumed, assessOutputs(reads, unconsumed)))
  return unconsumed.flatMap(({ ref }, index) => {
    const assessment = assessments[index]
    return assessment?.relevant === true ? [{ type: 'StateReassessed' as const, ref, assessment }] : []
  })
}

/** The facts that record a transaction; none for one that is recorded already. */
const factsOf = (
  reads: FinalityReads,
  signed: SignedTransaction,
  flow: FlowId | undefined,
  role: 'final' | 'history' = 'final',
): Recorded => {
  const { body, signatures } = signed
  const { id, encoded } = sealBody(body)
  const known = reads.views.transactions.find(id)
  const outputRefs = body.outputs.map((_, index) => ({ transaction: id, index }))
  const isAncestor = known !== undefined && role === 'final' && reads.views.transactions.isAncestor(known.seq)
  if (known !== undefined && !isAncestor) return { kind: 'recorded', id, outputs: outputRefs, events: [] }

  orThrow(
    checkSignatures(reads.network, id, signed, {
      role,
      retired: role === 'history' || needsNotary(body),
    }),
  )
  checkNotary(reads, body, role)
  if (isAncestor) return { kind: 'recorded', id, outputs: outputRefs, events: acceptAncestor(reads, id, body) }
  checkUnconsumed(reads, id, body)
  const { outputs } = verifyToRecord(reads, id, body)
  const texts = body.outputs.map((output, index) => {
    const { type, version, contract } = output
    return { type, version, contract, text: outputDataText(body, output, index) }
  })
  const written = new EncodedBody(encoded.text, body.inputs, notaryOfOutputs(body).key, texts)
  // What this party has signed is its own concern, also where it arrives as the history of something else.
  const concernsMe = role === 'final' || reads.views.proposals.isSigned(id)
  const asked = assessOutputs(reads, outputs)
  const assessments = concernsMe ? settleKeys(reads, keyUseOf(body.inputs, outputs, asked)) : asked.map(asAncestor)
  return recordTransaction({ id, body: written, outputs, assessments, signatures, isAncestor: !concernsMe }, flow)
}

export const recordSigned = deciding(factsOf)
