/**
 * The life of a flow, and with it the outcome of the attempt that it is. A flow ends once; its end releases its locks
 * and the keys it has reserved, and settles its activity, if the state is still unconsumed.
 */
import { canonicalText } from '../encoding/canonical.js'
import { showRef } from '../ledger/StateRef.js'
import type { DomainEvent, EventOf, FlowOrigin } from '../log/events.js'
import type { Instant } from '../time/Instant.js'
import { wakeWhere } from './wakeWhere.js'
import type { EventPlace } from './LoggedTick.js'
import type { Model } from './Model.js'
import type { ModelError, ModelOutcome } from './ModelAttempt.js'
import { isBegunStep, readied, waitsForFlow, waitsForMore, waitsIn, wakeOf, type ModelFlow } from './ModelFlow.js'

/** An event about one flow. */
export type ModelFlowEvent = Extract<DomainEvent, { readonly type: `Flow${string}` }>

/** A child belongs to the flow that has started it; what continues a flow has its place, its children and its signals. */
const join = ({ children, signals }: Model, id: string, origin: FlowOrigin): void => {
  if (origin.kind === 'flow') {
    const { flow: parent, whenParentEnds } = origin
    children.set(parent, [...(children.get(parent) ?? []), { flow: id, whenParentEnds }])
  }
  if (origin.kind !== 'continued') return
  for (const [parent, all] of children) {
    const before = all.find(({ flow }) => flow === origin.from)
    if (before !== undefined) children.set(parent, [...all, { ...before, flow: id }])
  }
  children.set(id, children.get(origin.from) ?? [])
  children.delete(origin.from)
  signals.set(id, signals.get(origin.from) ?? [])
  signals.delete(origin.from)
}

const start = (model: Model, event: EventOf<'FlowStarted'>, { at }: EventPlace): void => {
  const { flows, states } = model
  const { flow: id, name, version, origin } = event
  join(model, id, origin)
  // What a flow has started takes its first turn as if it were woken.
  const wakeAt = origin.kind === 'flow' || origin.kind === 'continued' ? at : undefined
  flows.set(id, {
    ...{ id, place: flows.size, name, version, input: canonicalText(event.input), origin, startedAt: at },
    ...{
      status: 'running',
      waits: [],
      wakeAt,
      record: [],
      begunStep: false,
      attention: false,
      progress: undefined,
    },
    ...{ ended: undefined, result: undefined, refusal: undefined, error: undefined },
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
  for (const [key, holder] of reserved) if (holder.flow === flow) reserved.delete(key)
}

/** When a flow that is being cancelled is killed, be it held. */
const cancelledUntil = (waits: ModelFlow['waits']): Instant | undefined =>
  waits.flatMap((wait) => (wait.for === 'cancel' ? [wait.until] : []))[0]

/**
 * The children that end with their parent are given a turn for it, also those that are held. Those that are being cancelled
 * come to their end without it.
 */
const endChildren = ({ children, flows }: Model, parent: string, at: Instant): void => {
  for (const { flow: id, whenParentEnds } of children.get(parent) ?? []) {
    const child = flows.get(id)
    if (whenParentEnds !== 'cancel' || child === undefined || child.ended !== undefined) continue
    if (cancelledUntil(child.waits) === undefined) flows.set(id, readied(child, at))
  }
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
      const wakeAt = flow.status === 'running' ? wakeOf(waits, place.at) : cancelledUntil(waits)
      const { operations, progress = flow.progress } = event
      const begunStep = flow.begunStep || operations.some(isBegunStep)
      become({ waits, wakeAt, progress, begunStep, record: [...flow.record, ...operations] })
      return
    }
    case 'FlowEnded': {
      const { outcome, result, refusal, error } = event
      const status = refusal === undefined ? outcome : 'refused'
      const attention = outcome === 'superseded' && (flow.begunStep || flow.waits.some((wait) => wait.for === 'step'))
      become({ status, waits: [], wakeAt: undefined, ended: place, result, refusal, error, attention })
      settleAttempt(model, flow, status, error)
      settleActivity(model, flow, event, place.revision)
      releaseLocks(model, flow.id)
      wakeWhere(model, (other) => waitsForFlow(other, flow.id), place.at)
      if (outcome === 'continued') return
      model.signals.delete(flow.id)
      endChildren(model, flow.id, place.at)
      return
    }
    case 'FlowParked':
      become({ status: 'parked', wakeAt: cancelledUntil(flow.waits), error: event.error })
      settleAttempt(model, flow, 'parked-flow', event.error)
      return
    case 'FlowPaused':
      become({ status: 'paused', wakeAt: cancelledUntil(flow.waits) })
      return
    case 'FlowCancelled': {
      const { by, until } = event
      const others = flow.waits.filter((wait) => wait.for !== 'cancel')
      const cancel = { for: 'cancel', kind: 'cancelled', digest: '', by, until } as const
      // It goes on at once, also when it was held, and is killed at the end of its time.
      become({
        status: 'running',
        waits: [cancel, ...others],
        wakeAt: readied(flow, place.at).wakeAt,
        error: undefined,
      })
      settleAttempt(model, flow, 'running')
      return
    }
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
