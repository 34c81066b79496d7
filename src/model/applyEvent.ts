/**
 * One event, applied to the model. Events that say nothing about vault, agenda or flows change nothing here, so a new
 * kind of event needs a line only where it means something to them.
 */
import { showRef } from '../ledger/StateRef.js'
import type { DomainEvent, EventOf } from '../log/events.js'
import { applyActivity } from './applyActivity.js'
import { applyFlow } from './applyFlow.js'
import { applyTransaction } from './applyTransaction.js'
import { wakeWhere } from './wakeWhere.js'
import type { EventPlace } from './LoggedTick.js'
import { sessionEnd, typedKey, type Model, type ModelNode } from './Model.js'
import { readied, waitsForMessage, waitsForSignal, waitsForState } from './ModelFlow.js'

const startNode = ({ node }: Model, { term, reason }: EventOf<'NodeStarted'>, place: EventPlace): ModelNode => {
  const isStart = reason === 'start'
  const startRevision = isStart ? place.revision : undefined
  return { ...node, term, running: true, startRevision, reopensSince: isStart && !node.draining ? place.at : undefined }
}

const endDraining = ({ node }: Model, { at }: EventPlace): ModelNode => ({
  ...node,
  draining: false,
  reopensSince: node.startRevision === undefined ? undefined : (node.reopensSince ?? at),
})

/** A message wakes the flow that waits for it. */
const receive = ({ sessions, flows }: Model, event: EventOf<'MessageReceived'>, { at }: EventPlace): void => {
  const session = sessions.get(sessionEnd(event))
  if (session === undefined) return
  sessions.set(sessionEnd(event), { ...session, received: [...session.received, event.seq] })
  const flow = flows.get(session.flow ?? '')
  if (flow?.status === 'running' && waitsForMessage(flow, event)) flows.set(flow.id, readied(flow, at))
}

/** A signal is kept for its flow, and wakes it when it waits for one of its name. */
const receiveSignal = (model: Model, event: EventOf<'SignalReceived'>, { at }: EventPlace): void => {
  const { flow: id, seq, signal: name, data, by } = event
  const kept = model.signals.get(id) ?? []
  model.signals.set(id, [...kept, { seq, name, data, by, at, id: event.id, taken: false }])
  wakeWhere(model, (flow) => flow.id === id && waitsForSignal(flow, name), at)
}

const takeSignal = ({ signals }: Model, { flow, seq }: EventOf<'SignalTaken'>): void => {
  const kept = signals.get(flow) ?? []
  signals.set(
    flow,
    kept.map((signal) => (signal.seq === seq ? { ...signal, taken: true } : signal)),
  )
}

const lock = ({ locks }: Model, { refs, flow }: EventOf<'StatesLocked'>): void => {
  for (const ref of refs) locks.set(showRef(ref), flow)
}

const unlock = ({ locks }: Model, { refs }: EventOf<'StatesUnlocked'>): void => {
  for (const ref of refs) locks.delete(showRef(ref))
}

/** Applies one event to the model. */
export const applyEvent = (model: Model, event: DomainEvent, place: EventPlace): void => {
  if ('ref' in event) {
    const state = model.states.get(showRef(event.ref))
    if (state === undefined) return
    model.states.set(showRef(event.ref), applyActivity(state, event, place))
    if (event.type === 'StateReassessed' && state.consumed === undefined)
      wakeWhere(model, (flow) => waitsForState(flow, state.type, event.assessment), place.at)
    return
  }
  switch (event.type) {
    case 'NodeStarted':
      model.node = startNode(model, event, place)
      return
    case 'NodeStopped':
      model.node = { ...model.node, running: false }
      return
    case 'DrainingStarted':
      model.node = { ...model.node, draining: true }
      return
    case 'DrainingEnded':
      model.node = endDraining(model, place)
      return
    case 'TransactionRecorded':
      applyTransaction(model, event, place)
      return
    case 'TransactionNotarised':
      for (const ref of event.inputs) model.spent.set(showRef(ref), event.id)
      return
    case 'StatesLocked':
      lock(model, event)
      return
    case 'StatesUnlocked':
      unlock(model, event)
      return
    case 'KeysReserved':
      for (const key of event.keys) model.reserved.set(typedKey(key), { flow: event.flow, at: place.at })
      return
    case 'TransactionSigned':
      model.signed.add(event.id)
      return
    case 'SessionOpened':
      model.sessions.set(sessionEnd(event), { flow: event.flow, received: [] })
      return
    case 'MessageReceived':
      receive(model, event, place)
      return
    case 'SignalReceived':
      receiveSignal(model, event, place)
      return
    case 'SignalTaken':
      takeSignal(model, event)
      return
    case 'FlowStarted':
    case 'FlowAdvanced':
    case 'FlowEnded':
    case 'FlowParked':
    case 'FlowRetried':
    case 'FlowPaused':
    case 'FlowCancelled':
    case 'FlowResumed':
    case 'FlowDismissed':
      applyFlow(model, event, place)
      return
    default:
  }
}
