/**
 * A transaction's body with its inputs and references resolved from the vault and everything decoded.
 */
import type { VaultReads } from './VaultReads.js'
import { frozen } from '../encoding/frozen.js'
import { CarillonError } from '../errors/CarillonError.js'
import { orThrow } from '../errors/Decision.js'
import { decodeState } from '../ledger/decodeState.js'
import { LedgerTransaction } from '../ledger/LedgerTransaction.js'
import { showRef, type StateRef } from '../ledger/StateRef.js'
import type { AnyStateDefinition } from '../ledger/StateDefinition.js'
import { outputDataText, type Output, type TransactionBody } from '../ledger/Transaction.js'
import type { TransactionId } from '../ledger/TransactionId.js'
import { resolveState } from './readState.js'
import type { StateRow } from './StateRow.js'

/** The row of a state, or the error that says it is not here. */
export const requireRow = (reads: VaultReads, ref: StateRef): StateRow => {
  const row = reads.views.states.find(ref)
  if (row === undefined)
    throw new CarillonError('state-unknown', `This node holds no state ${showRef(ref)}.`, { ref: showRef(ref) })
  return row
}

/** An output decoded with the definition the app has for it. */
export const resolveOutput = (
  reads: VaultReads,
  body: TransactionBody,
  output: Output,
  index: number,
): { readonly definition: AnyStateDefinition; readonly data: unknown } => {
  const definition = reads.registry.requireState(output.type)
  if (output.contract.name !== definition.contract.name)
    throw new CarillonError(
      'transaction-malformed',
      `Output ${index} is a ${output.type}, which ${definition.contract.name} governs, but it names ${output.contract.name} as its contract.`,
      { type: output.type, contract: output.contract.name },
    )
  const decoded: unknown = orThrow(decodeState(definition, output.version, outputDataText(body, output, index)))
  // The check of a signer sees it before it is recorded, and may not change what will be.
  return { definition, data: frozen(decoded) }
}

export const resolveBody = (reads: VaultReads, id: TransactionId, body: TransactionBody): LedgerTransaction => {
  if (body.signers.length !== body.commands.length)
    throw new CarillonError(
      'transaction-malformed',
      `Transaction ${id} has ${body.commands.length} commands and says for ${body.signers.length} who signs.`,
      { transaction: id },
    )
  const resolve = (ref: StateRef) => resolveState(reads.registry, requireRow(reads, ref))
  return new LedgerTransaction({
    inputs: body.inputs.map(resolve),
    references: body.references.map(resolve),
    outputs: body.outputs.map((output, index) => ({
      ref: { transaction: id, index },
      type: output.type,
      contract: output.contract,
      ...resolveOutput(reads, body, output, index),
    })),
    commands: body.commands.map(({ type, data }, index) => ({
      type,
      data,
      signers: body.signers[index] ?? [],
      isEncoded: true,
    })),
    timeWindow: body.timeWindow,
    notary: body.notary,
    newNotary: body.newNotary,
  })
}
