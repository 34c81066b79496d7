/**
 * Folds one tick and says where it differs from what it had to be: an event that the rules refuse, an attempt or a wake
 * that was not predicted or comes out of order, and one that was predicted and does not come.
 */
import { canonicalText } from '../encoding/canonical.js'
import { showRef } from '../ledger/StateRef.js'
import type { DomainEvent } from '../log/events.js'
import type { Instant } from '../time/Instant.js'
import { agendaOrder, isDue, occurrenceOrder, reopensAt } from './agenda.js'
import { applyEvent } from './applyEvent.js'
import { awaitedAlready } from './awaitedAlready.js'
import { checkAttempt, isAttempt, refOfAttempt, type AttemptEvent } from './checkAttempt.js'
import { finding, type ModelFinding } from './ModelFinding.js'
import type { LoggedTick } from './LoggedTick.js'
import type { Model } from './Model.js'
import type { ModelCause } from './ModelAttempt.js'
import { waitsForStep, type ModelFlow } from './ModelFlow.js'
import type { ModelState } from './ModelState.js'
import { refuseEvent } from './refuseEvent.js'
import { turnOf } from './refuseActivity.js'
import {
  extentsOf,
  leavesDue,
  predictTick,
  type PredictionExtent,
  type TickExtents,
  type TickPrediction,
} from './TickPrediction.js'

/** An activity that was moved and must be settled by the very next event: its new instant has come already. */
type Again = { readonly ref: string; readonly cause: ModelCause }

/** A tick while it is checked. */
type Check = {
  readonly model: Model
  readonly at: Instant
  readonly prediction: TickPrediction
  readonly extents: TickExtents
  /** Ids of the flows that an event of this tick has named. */
  readonly moved: Set<string>
  /** Ids of the flows that this tick has moved because a step of theirs has ended. */
  readonly answered: Set<string>
  /** Refs of the states whose activity this tick has attempted. What makes one due again is for the next tick. */
  readonly attempted: Set<string>
  again: Again | undefined
}

const movedRule = 'An activity that was moved and is due is settled at once.'

/** The activities that this tick had to attempt and has not, as they stand now. */
const waiting = ({ model, prediction, attempted, at }: Check): readonly ModelState[] =>
  prediction.attempts
    .filter((ref) => !attempted.has(ref))
    .flatMap((ref) => model.states.get(ref) ?? [])
    .filter((state) => isDue(state, at))

/** The flows that this tick had to move and has not. */
const asleep = ({ model, prediction, moved }: Check): readonly string[] =>
  prediction.wakes.filter((id) => !moved.has(id) && model.flows.get(id)?.ended === undefined)

/** What is due goes before what is due later. */
const checkOrder = (
  check: Check,
  state: ModelState,
  cause: ModelCause,
  event: AttemptEvent,
): readonly ModelFinding[] => {
  const first =
    cause === 'restart'
      ? reopensAt(check.model, check.at).find((other) => occurrenceOrder(other, state) < 0)
      : waiting(check).find((other) => agendaOrder(other, state) < 0)
  if (first === undefined) return []
  const rule = 'What is due is taken in order: due instant, log order, output index.'
  return finding(rule, `${showRef(first.ref)} comes first`, canonicalText(event))
}

/** What speaks against an attempt. Notes whether it must be followed by another at once. */
const settle = (check: Check, event: AttemptEvent): readonly ModelFinding[] => {
  const { model, at, extents } = check
  const ref = showRef(refOfAttempt(event))
  const state = model.states.get(ref)
  if (state === undefined) return []
  check.attempted.add(ref)
  const again = check.again?.ref === ref ? check.again : undefined
  const turn = again ?? turnOf(model, state, at)
  check.again = undefined
  const recorded = canonicalText(event)
  if ('refused' in turn) return finding('An attempt needs a turn.', `none for ${ref}: ${turn.refused}`, recorded)
  if (extents.attempts === 'none')
    return finding('A tick that starts or stops the node attempts nothing.', 'none', recorded)
  const { cause } = turn
  // An activity that was moved keeps the turn that it had before.
  const order = again !== undefined ? [] : checkOrder(check, state, cause, event)
  const findings = [...order, ...checkAttempt(model.limits, state, cause, event, at)]
  if (event.type === 'ActivityMoved' && (cause === 'trigger' || (event.actsAt ?? event.activity.at) <= at))
    check.again = { ref, cause }
  return findings
}

/** Whether a step has ended for which one part of the flow waited, whatever its other parts wait for. */
const endsStep = ({ model }: Check, event: DomainEvent): boolean => {
  if (event.type !== 'FlowAdvanced' || event.operations[0]?.kind !== 'step') return false
  const flow = model.flows.get(event.flow)
  return flow !== undefined && waitsForStep(flow)
}

/** A flow whose turn has come goes before those whose turn came later. The end of a step is an input, so it goes first. */
const checkWake = (check: Check, event: DomainEvent): readonly ModelFinding[] => {
  if (event.type !== 'FlowAdvanced' && event.type !== 'FlowEnded' && event.type !== 'FlowParked') return []
  if (event.type === 'FlowEnded' && event.outcome === 'killed') return []
  if (endsStep(check, event)) check.answered.add(event.flow)
  if (check.answered.has(event.flow)) return []
  const { wakes } = check.prediction
  const first = asleep(check)[0] ?? event.flow
  if (!wakes.includes(event.flow) || wakes.indexOf(first) >= wakes.indexOf(event.flow)) return []
  return finding('Flows go on in order.', `flow ${first} comes first`, canonicalText(event))
}

/** One that a flow has started moves when its turn comes. */
const isStartOfChild = (event: DomainEvent): boolean =>
  event.type === 'FlowStarted' && (event.origin.kind === 'flow' || event.origin.kind === 'continued')

const checkEvent = (check: Check, event: DomainEvent, before: DomainEvent | undefined): readonly ModelFinding[] => {
  const refused = refuseEvent(check.model, event, before, check.at)
  if (refused !== undefined)
    return finding('The rules refuse this event.', `no ${event.type}: ${refused}`, canonicalText(event))
  const { again } = check
  const isOther = again !== undefined && !(isAttempt(event) && showRef(refOfAttempt(event)) === again.ref)
  return [
    ...(isOther ? finding(movedRule, again.ref, event.type) : []),
    ...(isAttempt(event) ? settle(check, event) : []),
    ...checkWake(check, event),
  ]
}

/** What had to come and did not. */
const missing = (
  rule: string,
  extent: PredictionExtent,
  predicted: number,
  left: readonly string[],
): readonly ModelFinding[] => {
  const isEnough = extent === 'all' ? left.length === 0 : extent !== 'some' || left.length < predicted
  if (isEnough || left.length === 0) return []
  return finding(rule, left.slice(0, 3).join(', '), `nothing for ${left.length} of them`)
}

/** What falls due while a tick is decided may come before what was due already, and take its place in the portion. */
const extentsAtEnd = ({ model: { limits }, extents, attempted, moved }: Check): TickExtents => ({
  ...extents,
  attempts: extents.attempts !== 'none' && attempted.size >= limits.activitiesPerTick ? 'any' : extents.attempts,
  wakes: extents.wakes !== 'none' && moved.size >= limits.wakesPerTick ? 'any' : extents.wakes,
})

const checkEnd = (check: Check, extents: TickExtents): readonly ModelFinding[] => {
  const { model, at, prediction, moved } = check
  const refs = (states: readonly ModelState[]): readonly string[] => states.map(({ ref }) => showRef(ref))
  const reopens = refs(reopensAt(model, at))
  const isMoving = (flow: ModelFlow | undefined): boolean =>
    flow?.status === 'running' && flow.waits.length === 0 && flow.wakeAt === undefined
  const inVain = [...moved].flatMap((id) => {
    const flow = model.flows.get(id)
    return flow === undefined ? [] : awaitedAlready(model, flow, at).map((what) => `flow ${id}: ${what}`)
  })
  const moving = [...moved].filter((id) => isMoving(model.flows.get(id)))
  return [
    ...missing('What is due is attempted.', extents.attempts, prediction.attempts.length, refs(waiting(check))),
    ...missing('A flow whose wait is over goes on.', extents.wakes, prediction.wakes.length, asleep(check)),
    ...missing('A start attempts again what ended before it.', extents.reopens, reopens.length, reopens),
    ...missing('A flow ends, is held, or says what it waits for.', 'all', moving.length, moving),
    ...missing('No flow waits for what is there already.', 'all', inVain.length, inVain),
    ...(check.again === undefined ? [] : finding(movedRule, check.again.ref, 'the end of the tick')),
  ]
}

/** Folds one tick into the model, and says where the tick differs from what it had to be. */
export const checkTick = (model: Model, tick: LoggedTick): readonly ModelFinding[] => {
  const { at, events, firstRevision } = tick
  const prediction = predictTick(model, at)
  const extents = extentsOf(model, tick, prediction)
  const none = { moved: new Set<string>(), answered: new Set<string>(), attempted: new Set<string>() }
  const check: Check = { model, at, prediction, extents, ...none, again: undefined }
  const findings = events.flatMap((event, index) => {
    const found = checkEvent(check, event, events[index - 1])
    // A signal does not move a flow; it only makes one ready.
    if ('flow' in event && event.type !== 'SignalReceived' && !isStartOfChild(event)) check.moved.add(event.flow)
    applyEvent(model, event, { revision: firstRevision + index, at })
    return found
  })
  const atEnd = extentsAtEnd(check)
  const left = checkEnd(check, atEnd)
  model.node = { ...model.node, leftDue: leavesDue(model, tick, atEnd, waiting(check).length) }
  return [...findings, ...left]
}
