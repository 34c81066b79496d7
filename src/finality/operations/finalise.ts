/**
 * Verifies a transaction. One that concerns this party alone is recorded at once; any other becomes a proposal.
 */
import { Encoded } from '../../encoding/canonical.js'
import type { TransactionBuilder } from '../../ledger/TransactionBuilder.js'
import { decideTransaction } from '../decideTransaction.js'
import { answerTo, factsAnswer } from '../../flow/Answer.js'
import { defineOperation } from '../../flow/defineOperation.js'
import { finalised } from '../Finalised.js'
import { bytesOfTransaction } from '../../flow/recordedBytes.js'
import { reviveTransaction } from '../reviveTransaction.js'
import type { FinalityReads } from '../FinalityReads.js'

export type Finalise = { readonly kind: 'finalise'; readonly draft: TransactionBuilder; readonly isShared: boolean }

export const finalise = defineOperation<Finalise, FinalityReads>({
  kind: 'finalise',
  statesFacts: true,
  // The transaction that is asked for, without its salt and without the versions of its types, which an upgrade changes.
  identity: ({ draft }) => ({
    inputs: draft.inputs,
    references: draft.references,
    outputs: draft.outputs.map(({ definition, text }) => ({ type: definition.type, data: new Encoded(text) })),
    commands: draft.commands.map(({ text, signers }) => ({ command: new Encoded(text), signers })),
    timeWindow: draft.window,
    notary: draft.chosenNotary?.key,
  }),
  label: ({ draft: { inputs, outputs, commands } }) =>
    `finalise ${commands.map(({ type }) => type).join(', ')}: ${inputs.length} consumed, produces ${outputs.map(({ definition }) => definition.type).join(', ') || 'nothing'}`,
  decide: (reads, { draft, isShared }, flow) =>
    answerTo(decideTransaction(reads, draft, flow, isShared), (decided) => {
      if (decided.kind === 'proposal') {
        const { events: reservations, ...proposal } = decided
        return factsAnswer(reservations, proposal, { proposal: proposal.body })
      }
      const { id, outputs, events } = decided
      return factsAnswer(events, finalised(id, outputs), { transaction: id, outputs: outputs.length })
    }),
  revive: reviveTransaction,
  recordedBytes: (_operation, result) => bytesOfTransaction(result),
})
