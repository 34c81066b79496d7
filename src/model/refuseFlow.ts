/**
 * Why a flow must not start, move or end now. A flow moves only when what it waits for has come, and never after its end.
 */
import type { DomainEvent, EventOf } from '../log/events.js'
import type { Instant } from '../time/Instant.js'
import type { Model } from './Model.js'
import { mayGoOn, waitsForStep, type ModelFlow } from './ModelFlow.js'

/** Why a flow must not move; undefined when it may. */
const refuseMove = (flow: ModelFlow | undefined, id: string, at: Instant): string | undefined => {
  if (flow === undefined) return `there is no flow ${id}`
  if (flow.ended !== undefined) return `flow ${id} ended at revision ${flow.ended.revision}`
  // A flow without a wait is moving at this moment; a step that has finished is recorded even while the flow is held.
  if (waitsForStep(flow) || (flow.status === 'running' && flow.waits.length === 0)) return undefined
  if (flow.status !== 'running') return `flow ${id} is ${flow.status}`
  if (flow.wakeAt !== undefined && flow.wakeAt <= at) return undefined
  // The clock was set back since, and what may go on does not wait for it.
  if (mayGoOn(flow)) return undefined
  return `flow ${id} waits for ${flow.waits.map((wait) => wait.for).join(' or ')}${flow.wakeAt === undefined ? '' : `, until ${flow.wakeAt}`}`
}

/** Why what is recorded of a part cannot be: an instant was waited for that has not come. */
const refuseAnswers = (
  flow: ModelFlow | undefined,
  { operations }: EventOf<'FlowAdvanced'>,
  at: Instant,
): string | undefined => {
  for (const wait of flow?.waits ?? []) {
    if (wait.for !== 'instant' || wait.until <= at) continue
    // A part that was cancelled may do other things; what it waited for has not come all the same.
    const first = operations.find(({ part }) => part === wait.part)
    if (first?.digest === wait.digest && first.error === undefined)
      return `part ${wait.part ?? '(the flow itself)'} of flow ${flow?.id ?? ''} waits until ${wait.until}`
  }
  return undefined
}

const refuseUnless = (flow: ModelFlow | undefined, id: string, status: ModelFlow['status']): string | undefined => {
  if (flow === undefined) return `there is no flow ${id}`
  return flow.status === status ? undefined : `flow ${id} is ${flow.status}, not ${status}`
}

/** A signal is taken once, and after all that came before it under its name. */
const refuseTaking = ({ signals }: Model, { flow, seq }: EventOf<'SignalTaken'>): string | undefined => {
  const kept = (signals.get(flow) ?? []).filter(({ taken }) => !taken)
  const wanted = kept.find((signal) => signal.seq === seq)
  if (wanted === undefined) return `flow ${flow} has no signal ${seq} to take`
  const first = kept.find(({ name }) => name === wanted.name)
  return first === wanted ? undefined : `signal ${first?.seq ?? 0} of flow ${flow} comes first`
}

/** Why an event must not happen to a flow now; undefined when nothing speaks against it. */
export const refuseFlow = (
  model: Model,
  event: DomainEvent,
  before: DomainEvent | undefined,
  at: Instant,
): string | undefined => {
  const { flows, node } = model
  switch (event.type) {
    case 'SignalReceived': {
      const flow = flows.get(event.flow)
      if (flow === undefined || flow.ended !== undefined) return `flow ${event.flow} does not run`
      const next = (model.signals.get(event.flow)?.at(-1)?.seq ?? 0) + 1
      return event.seq === next ? undefined : `the next signal of flow ${event.flow} is number ${next}`
    }
    case 'SignalTaken':
      return refuseTaking(model, event) ?? refuseMove(flows.get(event.flow), event.flow, at)
    case 'FlowStarted':
      if (flows.has(event.flow)) return `flow ${event.flow} was started before`
      // What runs may go on, and what it starts is a part of that.
      if (event.origin.kind === 'flow') return refuseMove(flows.get(event.origin.flow), event.origin.flow, at)
      if (event.origin.kind === 'continued')
        return flows.get(event.origin.from)?.status === 'continued' ? undefined : `flow ${event.origin.from} goes on`
      return node.draining ? 'the node drains, and starts no flow' : undefined
    case 'FlowEnded':
    case 'FlowAdvanced':
    case 'FlowParked': {
      const flow = flows.get(event.flow)
      if (
        event.type === 'FlowEnded' &&
        event.refusal !== undefined &&
        (event.outcome !== 'completed' || event.result !== undefined)
      )
        return 'a flow that refuses has completed, and has no result'
      if (event.type === 'FlowEnded' && event.outcome === 'killed' && flow?.ended === undefined && flow !== undefined)
        return undefined
      if (
        event.type === 'FlowEnded' &&
        event.outcome === 'continued' &&
        flow?.waits.some((wait) => wait.for === 'cancel')
      )
        return `flow ${event.flow} is being cancelled, and continues as no other`
      // What a flow has done is recorded right before it ends or is parked.
      const hasJustAdvanced = before?.type === 'FlowAdvanced' && before.flow === event.flow
      if (hasJustAdvanced && event.type !== 'FlowAdvanced') return undefined
      return (
        refuseMove(flow, event.flow, at) ?? (event.type === 'FlowAdvanced' ? refuseAnswers(flow, event, at) : undefined)
      )
    }
    case 'FlowCancelled':
      return flows.get(event.flow)?.ended === undefined && flows.has(event.flow)
        ? undefined
        : `there is no flow ${event.flow} that goes on`
    case 'FlowPaused':
      return refuseUnless(flows.get(event.flow), event.flow, 'running')
    case 'FlowResumed':
      return refuseUnless(flows.get(event.flow), event.flow, 'paused')
    case 'FlowDismissed':
      return flows.get(event.flow)?.attention === true ? undefined : `flow ${event.flow} needs no attention`
    case 'FlowRetried':
      return refuseUnless(flows.get(event.flow), event.flow, 'parked')
    case 'StatesLocked':
    case 'StatesUnlocked':
    case 'KeysReserved':
    case 'TransactionSigned':
      return refuseMove(flows.get(event.flow), event.flow, at)
    case 'TransactionRecorded':
      return event.flow === undefined ? undefined : refuseMove(flows.get(event.flow), event.flow, at)
    default:
      return undefined
  }
}
