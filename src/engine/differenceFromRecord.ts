/**
 * In what an operation that code asks for differs from the recorded one. Of a transaction the record has only a digest;
 * the transaction itself tells which field it is, and whether it is the same but for the version of a state.
 */
import { describeOperation, differenceBetween } from '../app/describeOperation.js'
import type { Operation } from '../app/Operation.js'
import { firstDifference } from '../encoding/firstDifference.js'
import { concernsNode } from '../errors/CarillonError.js'
import { asRecorded } from '../finality/asRecorded.js'
import type { Description } from '../flow/Description.js'
import type { TransactionBody } from '../ledger/Transaction.js'
import type { TransactionBuilder } from '../ledger/TransactionBuilder.js'
import { TransactionIdC } from '../ledger/TransactionId.js'
import type { ActiveTick } from './ActiveTick.js'

/** An operation as it was recorded, with what came of it where it has an answer. */
export type RecordedDescription = Description & { readonly result?: unknown }

/** The transaction that was recorded, or proposed; undefined where it cannot be had. */
const bodyOf = (tick: ActiveTick, { result }: RecordedDescription): TransactionBody | undefined => {
  if (typeof result !== 'object' || result === null) return undefined
  if ('proposal' in result) return result.proposal as TransactionBody
  if (!('transaction' in result) || !TransactionIdC.is(result.transaction)) return undefined
  try {
    return tick.transactionBody(result.transaction)
  } catch (error) {
    if (concernsNode(error)) throw error
    return undefined
  }
}

/** What two transactions are compared by: without the salt, and without the versions of types. */
const comparable = ({ inputs, references, outputs, commands, signers, timeWindow }: TransactionBody): unknown => ({
  ...{ inputs, references, commands, signers, timeWindow },
  outputs: outputs.map(({ type, data }) => ({ type, data })),
})

const comparableDraft = (draft: TransactionBuilder): unknown => ({
  inputs: draft.inputs,
  references: draft.references,
  commands: draft.commands.map(({ text }) => JSON.parse(text) as unknown),
  signers: draft.commands.map(({ signers }) => signers),
  timeWindow: draft.window,
  outputs: draft.outputs.map(({ definition, text }) => ({ type: definition.type, data: JSON.parse(text) as unknown })),
})

/** The first way in which code and record differ, as a sentence; undefined when they agree. */
export const differenceFromRecord = (
  tick: ActiveTick,
  position: number,
  recorded: RecordedDescription,
  operation: Operation,
  path: string | undefined,
): string | undefined => {
  const difference = differenceBetween(position, recorded, describeOperation(operation, path))
  if (difference === undefined || operation.kind !== 'finalise' || recorded.kind !== 'finalise') return difference
  const body = bodyOf(tick, recorded)
  if (body === undefined) return difference
  const draft = asRecorded(operation.draft, body)
  if (differenceBetween(position, recorded, describeOperation({ ...operation, draft }, path)) === undefined)
    return undefined
  const field = firstDifference(comparable(body), comparableDraft(draft))
  return field === undefined ? difference : `${difference}: ${field.path} was ${field.recorded} and is ${field.coded}`
}
