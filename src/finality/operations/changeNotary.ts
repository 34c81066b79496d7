/**
 * Proposes the transaction that puts states under another notary and changes nothing else. Its salt comes from a
 * signature, so that the same change is the same transaction until the party changes its key.
 */
import type { Party } from '../../identity/Party.js'
import type { StateRef } from '../../ledger/StateRef.js'
import { decideNotaryChange } from '../decideNotaryChange.js'
import { answerTo, valueAnswer } from '../../flow/Answer.js'
import { defineOperation } from '../../flow/defineOperation.js'
import { bytesOfTransaction } from '../../flow/recordedBytes.js'
import { reviveTransaction } from '../reviveTransaction.js'
import type { FinalityReads } from '../FinalityReads.js'

export type ChangeNotaryOperation = {
  readonly kind: 'changeNotary'
  readonly refs: readonly StateRef[]
  readonly notary: Party
}

export const changeNotary = defineOperation<ChangeNotaryOperation, FinalityReads>({
  kind: 'changeNotary',
  signs: true,
  statesFacts: true,
  identity: ({ refs, notary }) => ({ refs, notary: notary.key }),
  label: ({ refs, notary }) =>
    `change of notary to ${notary.name}, ${refs.length} ${refs.length === 1 ? 'state' : 'states'}`,
  decide: (reads, { refs, notary }) =>
    answerTo(decideNotaryChange(reads, refs, notary), (proposal) => valueAnswer(proposal, { proposal: proposal.body })),
  revive: reviveTransaction,
  recordedBytes: (_operation, result) => bytesOfTransaction(result),
})
