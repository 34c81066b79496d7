/**
 * Verifies a transaction. One that concerns this party alone is recorded at once; any other becomes a proposal.
 */
import { Encoded } from '../../encoding/canonical.js'
import type { TransactionBuilder } from '../../ledger/TransactionBuilder.js'
import { decideTransaction } from '../../vault/decideTransaction.js'
import { valueAnswer } from '../Answer.js'
import { defineOperation } from '../defineOperation.js'
import { finalised } from '../Finalised.js'
import { bytesOfTransaction } from '../recordedBytes.js'
import { reviveTransaction } from '../reviveTransaction.js'

export type Finalise = { readonly kind: 'finalise'; readonly draft: TransactionBuilder; readonly isShared: boolean }

export const finalise = defineOperation<Finalise>({
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
  perform: (decision, { draft, isShared }, flow) => {
    const decided = decideTransaction(decision, draft, flow, isShared)
    return decided.kind === 'recorded'
      ? valueAnswer(finalised(decided.id, decided.outputs), {
          transaction: decided.id,
          outputs: decided.outputs.length,
        })
      : valueAnswer(decided, { proposal: decided.body })
  },
  revive: reviveTransaction,
  recordedBytes: (_operation, result) => bytesOfTransaction(result),
})
