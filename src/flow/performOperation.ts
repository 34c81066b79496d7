/**
 * Answers the operations that need nothing but the tick: reads, the time, ids, transactions. The others wait.
 */
import type { Decision } from '../decision/Decision.js'
import { CarillonError, concernsNode, messageOf } from '../errors/CarillonError.js'
import { limits } from '../limits.js'
import { showRef, StateRefC, type StateRef } from '../ledger/StateRef.js'
import type { AnyStateDefinition } from '../ledger/StateDefinition.js'
import { latestInstantMs, toMillis } from '../time/Instant.js'
import { decideTransaction } from '../vault/decideTransaction.js'
import { assertFields } from '../vault/query/assertFields.js'
import { readState } from '../vault/readState.js'
import type { StateRow } from '../vault/StateRow.js'
import { valueAnswer, type Answer, type Wait } from './Answer.js'
import { inputTextOf } from './describeOperation.js'
import { finalised } from './Finalised.js'
import type { FlowId } from './FlowId.js'
import type { Operation } from './Operation.js'
import { performKill } from './performKill.js'
import { performLedger } from './performLedger.js'
import { takeHistory } from './takeHistory.js'
import { performLock } from './performLock.js'
import { performSession } from './performSession.js'

const idBytes = 16

const presented = (definition: AnyStateDefinition, row: StateRow): unknown => ({
  ref: row.ref,
  type: row.kind.type,
  data: readState(definition, row),
})

/** A state by ref, whether or not it has been consumed since. */
export const stateAt = (
  decision: Decision,
  definition: AnyStateDefinition,
  ref: StateRef,
): { readonly row: StateRow; readonly state: unknown } => {
  if (!StateRefC.is(ref))
    throw new CarillonError(
      'state-unknown',
      `A ${definition.type} was to be loaded by something that is not a state ref. A state ref is a transaction id and the output's index; parseRef reads one from text.`,
      { type: definition.type },
    )
  const row = decision.views.states.find(ref)
  const text = showRef(ref)
  if (row === undefined) throw new CarillonError('state-unknown', `This node holds no state ${text}.`, { ref: text })
  if (row.kind.type !== definition.type)
    throw new CarillonError('state-unknown', `State ${text} is a ${row.kind.type}, not a ${definition.type}.`, {
      ref: text,
      type: row.kind.type,
    })
  return { row, state: presented(definition, row) }
}

const load = (decision: Decision, definition: AnyStateDefinition, ref: StateRef): Answer => {
  const { row, state } = stateAt(decision, definition, ref)
  if (row.consumedBy !== null) {
    const text = showRef(ref)
    const consumedBy = decision.views.transactions.get(row.consumedBy)?.id ?? 'another transaction'
    throw new CarillonError('state-consumed', `State ${text} was already consumed by transaction ${consumedBy}.`, {
      ref: text,
      consumedBy,
    })
  }
  return valueAnswer(state)
}

const find = (decision: Decision, definition: AnyStateDefinition, key: string): Answer => {
  if (definition.key === undefined)
    throw new CarillonError(
      'definition-invalid',
      `State ${definition.type} has no key, so none can be found by one. Add key: (data) => … to its definition.`,
      { type: definition.type },
    )
  const row = decision.views.states.withKey(definition.type, key)
  return row === undefined ? valueAnswer(undefined) : valueAnswer(presented(definition, row), showRef(row.ref))
}

const query = (
  decision: Decision,
  flow: FlowId,
  { kind, definition, query }: Extract<Operation, { readonly kind: 'query' | 'queryPage' }>,
): Answer => {
  const { limit } = query
  if (!Number.isInteger(limit) || limit < 1 || limit > limits.statesPerQuery) {
    throw new CarillonError(
      'query-unbounded',
      `A query in a flow may return 1 to ${limits.statesPerQuery} states, not ${limit}. Work in pages with queryPage, or narrow the query.`,
      { limit },
    )
  }
  assertFields(definition, query)
  const found = decision.views.query({ ...query, type: definition.type }, decision.views.flows.find(flow)?.seq)
  const states = found.items.map((row) => presented(definition, row))
  const refs = found.items.map(({ ref }) => showRef(ref))
  if (kind === 'query') return valueAnswer(states, refs)
  const { next } = found
  return valueAnswer({ items: states, next }, { refs, ...(next === undefined ? {} : { next }) })
}

const finalise = (
  decision: Decision,
  flow: FlowId,
  operation: Extract<Operation, { readonly kind: 'finalise' }>,
): Answer => {
  const decided = decideTransaction(decision, operation.draft, flow, operation.isShared)
  return decided.kind === 'recorded'
    ? valueAnswer(finalised(decided.id, decided.outputs), { transaction: decided.id, outputs: decided.outputs.length })
    : valueAnswer(decided, { proposal: decided.body })
}

const perform = (decision: Decision, flow: FlowId, operation: Operation): Answer | Wait => {
  switch (operation.kind) {
    case 'load':
      return load(decision, operation.definition, operation.ref)
    case 'find':
      return find(decision, operation.definition, operation.key)
    case 'query':
    case 'queryPage':
      return query(decision, flow, operation)
    case 'lock':
    case 'unlock':
      return performLock(decision, flow, operation)
    case 'kill':
      return performKill(decision, flow, operation)
    case 'now':
      return valueAnswer(decision.now, decision.now)
    case 'newId': {
      const id = decision.random.hex(idBytes)
      return valueAnswer(id, id)
    }
    case 'finalise':
      return finalise(decision, flow, operation)
    case 'sign':
    case 'changeNotary':
    case 'signId':
    case 'dependencies':
    case 'check':
    case 'record':
    case 'walk':
    case 'parents':
    case 'vend':
    case 'notaryRequest':
    case 'notarise':
      return performLedger(decision, flow, operation)
    case 'takeHistory':
      return takeHistory(decision, flow, operation)
    case 'sleep':
      return { kind: 'until', atMs: Math.min(decision.nowMs + operation.durationMs, latestInstantMs) }
    case 'sleepUntil':
      return toMillis(operation.until) <= decision.nowMs
        ? valueAnswer(undefined)
        : { kind: 'until', atMs: toMillis(operation.until) }
    case 'step':
      return { kind: 'step', operation }
    case 'initiate':
    case 'send':
    case 'receive':
    case 'close':
      return performSession(decision, flow, operation)
    case 'enter':
      // A sub-flow's input is recorded as a digest, so it must have a canonical form.
      inputTextOf(operation)
      return valueAnswer(undefined)
    case 'progress':
      return valueAnswer(undefined)
    default:
      throw new CarillonError(
        'flow-threw',
        'The flow yielded something that is not an operation. Write yield* (with the star) before every operation of io.',
      )
  }
}

export const performOperation = (decision: Decision, flow: FlowId, operation: Operation): Answer | Wait => {
  try {
    return perform(decision, flow, operation)
  } catch (error) {
    // Anything else belongs to the flow that caused it.
    if (concernsNode(error)) throw error
    return {
      kind: 'error',
      error: error instanceof CarillonError ? error : new CarillonError('flow-threw', messageOf(error), {}, error),
    }
  }
}
