/**
 * A transaction that code asks for now, in the form in which it was recorded: a state that is produced in a newer version
 * counts as the recorded one when that, upcast, is the same. So a new version of a state changes no flow's record.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import { canonicalText } from '../encoding/canonical.js'
import { decodeState } from '../ledger/decodeState.js'
import type { Output, TransactionBody } from '../ledger/Transaction.js'
import { TransactionBuilder, type DraftOutput } from '../ledger/TransactionBuilder.js'

const outputAsRecorded = (output: DraftOutput, recorded: Output | undefined): DraftOutput => {
  const { definition } = output
  if (recorded?.type !== definition.type || recorded.version > definition.version) return output
  const isSameVersion = recorded.version === definition.version
  if (isSameVersion && recorded.contract.version === definition.contract.version) return output
  const text = canonicalText(recorded.data)
  const upcast = decodeState(definition, recorded.version, text)
  if (isLeft(upcast) || canonicalText(definition.data.encode(upcast.right)) !== output.text) return output
  const contract = { ...definition.contract, version: recorded.contract.version }
  return { definition: { ...definition, version: recorded.version, contract }, data: output.data, text }
}

/** The draft with those outputs as they were recorded that are the same but for their version. */
export const asRecorded = (draft: TransactionBuilder, { outputs }: TransactionBody): TransactionBuilder => {
  if (outputs.length !== draft.outputs.length) return draft
  const recorded = draft.outputs.map((output, index) => outputAsRecorded(output, outputs[index]))
  if (recorded.every((output, index) => output === draft.outputs[index])) return draft
  return Object.assign(new TransactionBuilder(), draft, { outputs: recorded })
}
