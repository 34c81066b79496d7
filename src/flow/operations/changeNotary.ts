/**
 * Proposes the transaction that puts states under another notary and changes nothing else. Its salt comes from a
 * signature, so that the same change is the same transaction until the party changes its key.
 */
import type { Party } from '../../identity/Party.js'
import type { StateRef } from '../../ledger/StateRef.js'
import { decideNotaryChange } from '../../vault/decideNotaryChange.js'
import { valueAnswer } from '../Answer.js'
import { defineOperation } from '../defineOperation.js'
import { bytesOfTransaction } from '../recordedBytes.js'
import { reviveTransaction } from '../reviveTransaction.js'

export type ChangeNotary = {
  readonly kind: 'changeNotary'
  readonly refs: readonly StateRef[]
  readonly notary: Party
}

export const changeNotary = defineOperation<ChangeNotary>({
  kind: 'changeNotary',
  signs: true,
  statesFacts: true,
  identity: ({ refs, notary }) => ({ refs, notary: notary.key }),
  label: ({ refs, notary }) =>
    `change of notary to ${notary.name}, ${refs.length} ${refs.length === 1 ? 'state' : 'states'}`,
  perform: (decision, { refs, notary }) => {
    const proposal = decideNotaryChange(decision, refs, notary)
    return valueAnswer(proposal, { proposal: proposal.body })
  },
  revive: reviveTransaction,
  recordedBytes: (_operation, result) => bytesOfTransaction(result),
})
