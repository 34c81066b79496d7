/**
 * The rows of the states that a flow reserves or gives back: as many as one transaction can consume.
 */
import type { FlowReads } from './FlowReads.js'
import { CarillonError } from '../errors/CarillonError.js'
import type { StateRef } from '../ledger/StateRef.js'
import { ledgerLimits } from '../ledger/limits.js'
import { requireRow } from '../vault/resolveBody.js'
import type { StateRow } from '../vault/StateRow.js'

export const lockRows = (reads: FlowReads, refs: readonly StateRef[]): readonly StateRow[] => {
  if (refs.length > ledgerLimits.componentsPerTransaction)
    throw new CarillonError(
      'query-unbounded',
      `A flow may reserve ${ledgerLimits.componentsPerTransaction} states at once, as many as a transaction can consume; not ${refs.length}.`,
      { states: refs.length },
    )
  return refs.map((ref) => requireRow(reads, ref))
}
