/**
 * What an operator or a client may do to a flow. Each is recorded with who did it.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import type { Decision, SigningDecision } from '../decision/Decision.js'
import { canonicalText, type Json } from '../encoding/canonical.js'
import { decodeWith } from '../encoding/decode.js'
import { CarillonError, NodeFault } from '../errors/CarillonError.js'
import { FlowIdC, flowIdOfClientId, type FlowId } from '../log/FlowId.js'
import { endKilled } from '../flow/endKilled.js'
import type { FlowEngine } from '../flow/FlowEngine.js'
import { hasEnded, type FlowRow } from '../flow/FlowRow.js'

const find = (decision: Decision, id: FlowId): FlowRow => {
  const row = decision.views.flows.find(id)
  if (row === undefined) throw new CarillonError('flow-not-found', `There is no flow ${id}.`, { flow: id })
  if (hasEnded(row))
    throw new CarillonError('flow-ended', `Flow ${id} has already ended: ${row.status}.`, {
      flow: id,
      status: row.status,
    })
  return row
}

/** A request to start a flow. `input` is in encoded form. */
export type StartRequest = {
  readonly name: string
  readonly input: Json
  readonly by: string
  readonly clientId?: string
}

/** The flows in memory: what an operator changes is taken up again from its record. */
export type LiveFlows = Pick<FlowEngine, 'forget'>

const flowIdBytes = 16

const newId = (decision: Decision): FlowId => {
  const id = decision.random.hex(flowIdBytes)
  if (!FlowIdC.is(id))
    throw new NodeFault('invariant-broken', 'The source of randomness gave something that is not hex.')
  return id
}

/** Starts a flow, or finds the one that was started before with the same client id. */
export const startFlow = (decision: SigningDecision, engine: FlowEngine, request: StartRequest): FlowRow => {
  const { name, by, clientId } = request
  const definition = decision.registry.requireFlow(name)
  const input = decodeWith(definition.input, request.input)
  if (isLeft(input))
    throw new CarillonError(
      'flow-input-invalid',
      `The input for flow ${name} does not fit its codec: ${input.left.join('; ')}`,
      { flow: name },
    )
  const id = clientId === undefined ? newId(decision) : flowIdOfClientId(clientId)
  const known = clientId === undefined ? undefined : decision.views.flows.find(id)
  if (known !== undefined) {
    if (known.name === name && known.input === canonicalText(request.input)) return known
    throw new CarillonError(
      'client-id-conflict',
      `Client id "${clientId ?? ''}" was used before, for flow ${known.name}${known.name === name ? ' with another input' : ''}. Use a new client id for a new request.`,
      { flow: known.id },
    )
  }
  if (decision.views.facts.now.draining)
    throw new CarillonError(
      'node-draining',
      'The node is draining and starts no flows. Try again when draining has ended.',
    )
  return engine.start(decision, {
    id,
    definition,
    input: input.right,
    encodedInput: request.input,
    origin: { kind: 'client', by, ...(clientId === undefined ? {} : { clientId }) },
  })
}

/** Ends a flow at once. What it has recorded on the ledger stays. */
export const killFlow = (decision: Decision, live: LiveFlows, id: FlowId, by: string): void => {
  const row = find(decision, id)
  live.forget(id)
  endKilled(decision, row, by)
}

/** Lets a parked flow go on from its record. */
export const retryFlow = (decision: Decision, live: LiveFlows, id: FlowId, by: string): void => {
  if (find(decision, id).status !== 'parked')
    throw new CarillonError('flow-not-parked', `Flow ${id} is not parked, so there is nothing to retry.`, { flow: id })
  live.forget(id)
  decision.emit({ type: 'FlowRetried', flow: id, by })
}

/** Holds a running flow where it is; a step under way is still recorded when it ends. */
export const pauseFlow = (decision: Decision, live: LiveFlows, id: FlowId, by: string): void => {
  const row = find(decision, id)
  if (row.status !== 'running')
    throw new CarillonError('flow-not-parked', `Flow ${id} is ${row.status}; only a running flow can be paused.`, {
      flow: id,
      status: row.status,
    })
  live.forget(id)
  decision.emit({ type: 'FlowPaused', flow: id, by })
}

export const resumeFlow = (decision: Decision, live: LiveFlows, id: FlowId, by: string): void => {
  const row = find(decision, id)
  if (row.status !== 'paused')
    throw new CarillonError('flow-not-parked', `Flow ${id} is ${row.status}; only a paused flow can be resumed.`, {
      flow: id,
      status: row.status,
    })
  live.forget(id)
  decision.emit({ type: 'FlowResumed', flow: id, by })
}
