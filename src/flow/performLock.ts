/**
 * Reserving states for a flow and giving them back: all of them or none.
 */
import type { Decision } from '../decision/Decision.js'
import { CarillonError } from '../errors/CarillonError.js'
import { showRef } from '../ledger/StateRef.js'
import { limits } from '../limits.js'
import { requireRow } from '../vault/resolveBody.js'
import { valueAnswer, type Answer } from './Answer.js'
import type { FlowId } from './FlowId.js'
import type { Operation } from './Operation.js'

export const performLock = (
  decision: Decision,
  flow: FlowId,
  { kind, refs }: Extract<Operation, { readonly kind: 'lock' | 'unlock' }>,
): Answer => {
  const { softLocks, flows, transactions } = decision.views
  if (refs.length > limits.componentsPerTransaction)
    throw new CarillonError(
      'query-unbounded',
      `A flow may reserve ${limits.componentsPerTransaction} states at once, as many as a transaction can consume; not ${refs.length}.`,
      { states: refs.length },
    )
  const mine = flows.find(flow)?.seq
  const rows = refs.map((ref) => requireRow(decision, ref))
  if (kind === 'unlock') {
    const held = rows.filter(({ seq }) => softLocks.holderOf(seq) === mine).map(({ ref }) => ref)
    if (held.length > 0) decision.emit({ type: 'StatesUnlocked', flow, refs: held })
    return valueAnswer(undefined)
  }
  for (const { seq, ref, consumedBy } of rows) {
    const text = showRef(ref)
    if (consumedBy !== null)
      throw new CarillonError('state-consumed', `State ${text} was already consumed; it cannot be reserved.`, {
        ref: text,
        consumedBy: transactions.get(consumedBy)?.id ?? 'another transaction',
      })
    const holder = softLocks.holderOf(seq)
    if (holder === undefined || holder === mine) continue
    const other = flows.get(holder)
    throw new CarillonError(
      'state-locked',
      `State ${text} is reserved by flow ${other.name} (${other.id}). Choose another, or try again when that flow has ended.`,
      { ref: text, flow: other.id },
    )
  }
  const free = rows.filter(({ seq }) => softLocks.holderOf(seq) === undefined).map(({ ref }) => ref)
  if (free.length > 0) decision.emit({ type: 'StatesLocked', flow, refs: free })
  return valueAnswer(undefined)
}
