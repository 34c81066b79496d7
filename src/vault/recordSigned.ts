/**
 * Records a transaction that several parties have signed. It is trusted for nothing: its id is computed anew,
 * every signature and every contract is checked, and its notary must be one this network trusts.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import type { Decision } from '../decision/Decision.js'
import { canonicalText } from '../encoding/canonical.js'
import { CarillonError, NodeFault } from '../errors/CarillonError.js'
import type { FlowId } from '../flow/FlowId.js'
import { checkSignatures, needsNotary, type SignedTransaction } from '../ledger/SignedTransaction.js'
import { showRef, type StateRef } from '../ledger/StateRef.js'
import { sealBody } from '../ledger/Transaction.js'
import type { TransactionId } from '../ledger/TransactionId.js'
import { verifyTransaction } from '../ledger/verifyTransaction.js'
import { assess } from '../scheduler/assess.js'
import { requireRow, resolveBody } from './resolveBody.js'
import type { TransactionParts } from './TransactionParts.js'

const checkNotary = (decision: Decision, signed: SignedTransaction): void => {
  const { notary } = signed.body
  const { notaryOf } = decision.views.transactions
  for (const ref of [...signed.body.inputs, ...signed.body.references]) {
    const row = requireRow(decision, ref)
    const theirs = notaryOf(row.transactionSeq) ?? decision.me.key
    if (theirs !== notary.key) {
      throw new CarillonError(
        'notary-unknown',
        `State ${showRef(ref)} stands under another notary than the transaction, ${notary.name}. Change its notary first.`,
        { ref: showRef(ref), notary: notary.name },
      )
    }
  }
  if (!needsNotary(signed.body) || notary.key === decision.me.key) return
  if (decision.network.notaryKind(notary.key) === undefined) {
    throw new CarillonError(
      'notary-unknown',
      `The transaction was notarised by ${notary.name}, which this node's network map does not list as a notary. A state notarised by its owner needs a change of notary before others accept it.`,
      { notary: notary.name },
    )
  }
}

const checkUnconsumed = (decision: Decision, id: TransactionId, signed: SignedTransaction): void => {
  for (const ref of signed.body.inputs) {
    const { consumedBy } = requireRow(decision, ref)
    if (consumedBy === null) continue
    const other = decision.views.transactions.get(consumedBy)?.id ?? 'another transaction'
    throw new CarillonError(
      'state-consumed',
      `State ${showRef(ref)} was already consumed by transaction ${other}; transaction ${id} cannot consume it too.`,
      { ref: showRef(ref), consumedBy: other },
    )
  }
}

/** Records the transaction and gives the refs of its outputs; one that is recorded already is left as it is. */
export const recordSigned = (
  decision: Decision,
  signed: SignedTransaction,
  flow: FlowId | undefined,
): { readonly id: TransactionId; readonly outputs: readonly StateRef[] } => {
  const { body, signatures } = signed
  const { id, encoded } = sealBody(body)
  const outputs = body.outputs.map((_, index) => ({ transaction: id, index }))
  if (decision.views.transactions.find(id) !== undefined) return { id, outputs }

  const signaturesChecked = checkSignatures(id, signed)
  if (isLeft(signaturesChecked)) throw signaturesChecked.left
  checkNotary(decision, signed)
  checkUnconsumed(decision, id, signed)
  const transaction = resolveBody(decision, id, body)
  const verified = verifyTransaction(transaction, decision.registry.contract)
  if (isLeft(verified)) throw verified.left

  const assessed = transaction.outputs.map(({ definition, data, ref }) => assess(decision, definition, data, ref))
  const parts: TransactionParts = {
    inputs: body.inputs,
    notary: body.notary.key,
    outputs: body.outputs.map(({ type, version, contract, data }, index) => {
      const output = assessed[index]
      if (output === undefined) throw new NodeFault('invariant-broken', `output ${index} of ${id} was not assessed`)
      return { type, version, contract, text: canonicalText(data), assessment: output.parts }
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
