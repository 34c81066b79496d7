/**
 * The life of a flow, and with it the outcome of the attempt that it is. A flow ends once; its end releases its locks
 * and the keys it has reserved, and settles its activity, if the state is still unconsumed.
 */
import { canonicalText } from '../encoding/canonical.js'
import { showRef } from '../ledger/StateRef.js'
import type { DomainEvent, EventOf } from '../log/events.js'
import type { EventPlace } from './LoggedTick.js'
import type { Model } from './Model.js'
import type { ModelError, ModelOutcome } from './ModelAttempt.js'
import { isBegunStep, waitsForMore, waitsIn, wakeOf, type ModelFlow } from './ModelFlow.js'

/** An event about one flow. */
export type ModelFlowEvent = Extract<DomainEvent, { readonly type: `Flow${string}` }>

const start = ({ flows, states }: Model, event: EventOf<'FlowStarted'>, { at }: EventPlace): void => {
  const { flow: id, name, version, origin } = event
  flows.set(id, {
    ...{ id, place: flows.size, name, version, input: canonicalText(event.input), origin, startedAt: at },
    ...{
      status: 'running',
      waits: [],
      wakeAt: undefined,
      recorded: 0,
      begunStep: false,
      attention: false,
      progress: undefined,
    },
    ...{ ended: undefined, result: undefined, error: undefined },
  })
  if (origin.kind !== 'activity') return
  const state = states.get(showRef(origin.ref))
  if (state === undefined) return
  const { due, attempt, latenessMs, cause } = origin
  const started = { standing: 'started', actsAt: undefined, cause: 'due', error: undefined, note: undefined } as const
  states.set(showRef(origin.ref), {
    ...state,
    activity: { ...state.activity, ...started, attempts: attempt },
    attempts: [
      ...state.attempts,
      { due, attempt, at, latenessMs, outcome: 'running', flow: id, flowName: name, cause },
    ],
  })
}

/** Gives the attempt that a flow is its outcome. */
const settleAttempt = ({ states }: Model, flow: ModelFlow, outcome: ModelOutcome, error?: ModelError): void => {
  const ref = flow.origin.kind === 'activity' ? showRef(flow.origin.ref) : ''
  const state = states.get(ref)
  if (state === undefined) return
  const attempts = state.attempts.map((one) => (one.flow === flow.id ? { ...one, outcome, error } : one))
  states.set(ref, { ...state, attempts })
}

/** A failed flow needs an operator at once; when one does that completed and left its state as it was, the event says. */
const settleActivity = ({ states }: Model, flow: ModelFlow, event: EventOf<'FlowEnded'>, revision: number): void => {
  const ref = flow.origin.kind === 'activity' ? showRef(flow.origin.ref) : ''
  const state = states.get(ref)
  if (state === undefined || state.consumed !== undefined) return
  const isOver = state.activity.asked?.once === true || event.outcome === 'killed'
  const standing = isOver ? 'closed' : 'ended'
  const error = event.outcome === 'failed' ? event.error : undefined
  const { attentionAt } = event
  states.set(ref, { ...state, activity: { ...state.activity, standing, endedRevision: revision, attentionAt, error } })
}

const releaseLocks = ({ locks, reserved }: Model, flow: string): void => {
  for (const [ref, holder] of locks) if (holder === flow) locks.delete(ref)
  for (const [key, holder] of reserved) if (holder === flow) reserved.delete(key)
}

export const applyFlow = (model: Model, event: ModelFlowEvent, place: EventPlace): void => {
  if (event.type === 'FlowStarted') {
    start(model, event, place)
    return
  }
  const flow = model.flows.get(event.flow)
  if (flow === undefined) return
  const become = (change: Partial<ModelFlow>): void => {
    const changed = { ...flow, ...change }
    model.flows.set(flow.id, changed)
    if (waitsForMore(changed.waits)) model.waiting.add(flow.id)
    else model.waiting.delete(flow.id)
  }
  switch (event.type) {
    case 'FlowAdvanced': {
      const waits = waitsIn(flow.waits, event)
      // What a flow waits for does not wake it while it is held.
      const wakeAt = flow.status === 'running' ? wakeOf(waits, place.at) : undefined
      const { operations, progress = flow.progress } = event
      const begunStep = flow.begunStep || operations.some(isBegunStep)
      become({ waits, wakeAt, progress, begunStep, recorded: flow.recorded + operations.length })
      return
    }
    case 'FlowEnded': {
      const { outcome, result, error } = event
      const attention = outcome === 'superseded' && (flow.begunStep || flow.waits.some((wait) => wait.for === 'step'))
      become({ status: outcome, waits: [], wakeAt: undefined, ended: place, result, error, attention })
      settleAttempt(model, flow, outcome, error)
      settleActivity(model, flow, event, place.revision)
      releaseLocks(model, flow.id)
      model.signals.delete(flow.id)
      return
    }
    case 'FlowParked':
      become({ status: 'parked', wakeAt: undefined, error: event.error })
      settleAttempt(model, flow, 'parked-flow', event.error)
      return
    case 'FlowPaused':
      become({ status: 'paused', wakeAt: undefined })
      return
    case 'FlowDismissed':
      become({ attention: false })
      return
    case 'FlowRetried':
    case 'FlowResumed':
      // It waits on for time to pass, or takes its turn at once, because anything else may have come meanwhile.
      become({
        status: 'running',
        wakeAt: waitsForMore(flow.waits) ? place.at : (wakeOf(flow.waits, place.at) ?? place.at),
        error: undefined,
      })
      settleAttempt(model, flow, 'running')
      return
  }
}
