/**
 * What an operator or a client may do to a flow. Each is recorded with who did it.
 */
import { deciding } from '../errors/Decision.js'
import { isLeft } from 'fp-ts/lib/Either.js'
import type { OperatorReads } from './OperatorReads.js'
import { canonicalText, type Json } from '../encoding/canonical.js'
import { decodeWith } from '../encoding/decode.js'
import { CarillonError, NodeFault } from '../errors/CarillonError.js'
import type { DomainEvent } from '../log/events.js'
import { FlowIdC, flowIdOfClientId, type FlowId } from '../log/FlowId.js'
import { endKilled } from '../session/endKilled.js'
import { cancelOf, flowCancelled } from '../flow/cancelFlow.js'
import type { FlowStart } from '../flow/FlowStart.js'
import { hasEnded, type FlowRow } from '../flow/FlowRow.js'

const findAny = (reads: OperatorReads, id: FlowId): FlowRow => {
  const row = reads.views.flows.find(id)
  if (row === undefined) throw new CarillonError('flow-not-found', `There is no flow ${id}.`, { flow: id })
  return row
}

const find = (reads: OperatorReads, id: FlowId): FlowRow => {
  const row = findAny(reads, id)
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
  /** The token that asks; the local owner has none. Client ids are the caller's own. */
  readonly caller?: string
}

const flowIdBytes = 16

const newId = (reads: OperatorReads): FlowId => {
  const id = reads.random.hex(flowIdBytes)
  if (!FlowIdC.is(id))
    throw new NodeFault('invariant-broken', 'The source of randomness gave something that is not hex.')
  return id
}

/** A flow to start, or the one that was started before with the same client id. */
export type StartDecision =
  { readonly kind: 'start'; readonly start: FlowStart } | { readonly kind: 'known'; readonly row: FlowRow }

export const decideStart = deciding((reads: OperatorReads, request: StartRequest): StartDecision => {
  const { name, by, clientId, caller } = request
  const signature = reads.registry.requireFlow(name)
  if (!signature.clients)
    throw new CarillonError(
      'flow-not-for-clients',
      `Flow ${name} is not for clients: it answers a flow of another party, or its definition says clients: false. Start a flow that the app offers; "carillon flow definitions" lists them.`,
      { flow: name },
    )
  const input = decodeWith(signature.input, request.input)
  if (isLeft(input))
    throw new CarillonError(
      'flow-input-invalid',
      `The input for flow ${name} does not fit its codec: ${input.left.join('; ')}`,
      { flow: name },
    )
  const id = clientId === undefined ? newId(reads) : flowIdOfClientId(clientId, caller)
  const known = clientId === undefined ? undefined : reads.views.flows.find(id)
  if (known !== undefined) {
    if (known.name === name && known.input === canonicalText(request.input)) return { kind: 'known', row: known }
    throw new CarillonError(
      'client-id-conflict',
      `Client id "${clientId ?? ''}" was used before, for flow ${known.name}${known.name === name ? ' with another input' : ''}. Use a new client id for a new request.`,
      { flow: known.id },
    )
  }
  if (reads.views.facts.now.draining)
    throw new CarillonError(
      'node-draining',
      'The node is draining and starts no flows. Try again when draining has ended.',
    )
  const origin = {
    kind: 'client',
    by,
    ...(clientId === undefined ? {} : { clientId }),
    ...(caller === undefined ? {} : { caller }),
  } as const
  return { kind: 'start', start: { id, name, input: input.right, encodedInput: request.input, origin } }
})

/** What an operator does to a flow: facts about it, after which its generator is worthless. */
export type FlowDecider = (reads: OperatorReads, id: FlowId, by: string, withinMs?: number) => readonly DomainEvent[]

/** Ends a flow at once. What it has recorded on the ledger stays. */
export const killFlow: FlowDecider = (reads, id, by) => endKilled(reads, find(reads, id), by)

/** Throws `flow-cancelled` into a flow where it waits, so that it can clean up; a flow that was cancelled before is killed. */
export const cancelFlow: FlowDecider = (reads, id, by, withinMs) => {
  const row = find(reads, id)
  return cancelOf(row) === undefined ? [flowCancelled(reads, row, by, withinMs)] : endKilled(reads, row, by)
}

/** Lets a parked flow go on from its record. */
export const retryFlow: FlowDecider = (reads, id, by) => {
  if (find(reads, id).status !== 'parked')
    throw new CarillonError('flow-not-parked', `Flow ${id} is not parked, so there is nothing to retry.`, { flow: id })
  return [{ type: 'FlowRetried', flow: id, by }]
}

/** Holds a running flow where it is; a step under way is still recorded when it ends. */
export const pauseFlow: FlowDecider = (reads, id, by) => {
  const row = find(reads, id)
  if (row.status !== 'running')
    throw new CarillonError('flow-not-parked', `Flow ${id} is ${row.status}; only a running flow can be paused.`, {
      flow: id,
      status: row.status,
    })
  return [{ type: 'FlowPaused', flow: id, by }]
}

export const resumeFlow: FlowDecider = (reads, id, by) => {
  const row = find(reads, id)
  if (row.status !== 'paused')
    throw new CarillonError('flow-not-parked', `Flow ${id} is ${row.status}; only a paused flow can be resumed.`, {
      flow: id,
      status: row.status,
    })
  return [{ type: 'FlowResumed', flow: id, by }]
}

/** Takes a flow that has ended off the list of what needs attention. */
export const dismissFlow: FlowDecider = (reads, id, by) => {
  const { seq, status } = findAny(reads, id)
  if (!reads.views.flowAttention.has(seq))
    throw new CarillonError(
      'flow-not-parked',
      `Flow ${id} is ${status} and not among the ended flows that need attention, so there is nothing to dismiss.`,
      { flow: id, status },
    )
  return [{ type: 'FlowDismissed', flow: id, by }]
}
