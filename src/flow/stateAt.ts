/**
 * A state as a flow gets it: its ref, its type, and its data decoded by the app's own definition.
 */
import type { FlowReads } from './FlowReads.js'
import { CarillonError } from '../errors/CarillonError.js'
import { readWith } from '../ledger/StateAndRef.js'
import type { AnyStateDefinition } from '../ledger/StateDefinition.js'
import { showRef, StateRefC, type StateRef } from '../ledger/StateRef.js'
import { readState } from '../vault/readState.js'
import type { StateRow } from '../vault/StateRow.js'

/** The state of a row. */
export const stateOf = (definition: AnyStateDefinition, row: StateRow): unknown =>
  readWith(definition, { ref: row.ref, type: row.kind.type, data: readState(definition, row) })

/** A state by ref, whether or not it has been consumed since. */
export const stateAt = (
  reads: FlowReads,
  definition: AnyStateDefinition,
  ref: StateRef,
): { readonly row: StateRow; readonly state: unknown } => {
  if (!StateRefC.is(ref))
    throw new CarillonError(
      'state-unknown',
      `A ${definition.type} was to be loaded by something that is not a state ref. A state ref is a transaction id and the output's index; parseRef reads one from text.`,
      { type: definition.type },
    )
  const row = reads.views.states.find(ref)
  const text = showRef(ref)
  if (row === undefined) throw new CarillonError('state-unknown', `This node holds no state ${text}.`, { ref: text })
  if (row.kind.type !== definition.type)
    throw new CarillonError('state-unknown', `State ${text} is a ${row.kind.type}, not a ${definition.type}.`, {
      ref: text,
      type: row.kind.type,
    })
  return { row, state: stateOf(definition, row) }
}
