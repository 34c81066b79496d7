/**
 * Whether an attempt is the one that had to be made: the right state at the right time, with the number, lateness, cause
 * and flow that follow from the log. What app code said when it was asked once more is taken from the event itself.
 */
import { showRef, type StateRef } from '../ledger/StateRef.js'
import type { DomainEvent, EventOf } from '../log/events.js'
import type { Instant } from '../time/Instant.js'
import { compareValues, finding, type ModelFinding } from './ModelFinding.js'
import type { ModelCause } from './ModelAttempt.js'
import type { ModelLimits } from './Model.js'
import type { ModelState } from './ModelState.js'
import { predictAttempt, predictedFlowId, predictRetry, type PredictedAttempt } from './predictAttempt.js'

/** The events by which the scheduler settles an activity whose turn has come: exactly one of them for each turn. */
export type AttemptEvent =
  | EventOf<'ActivityMoved' | 'ActivityRemoved' | 'ActivityMissed' | 'ActivityStartFailed' | 'ActivityParked'>
  | (EventOf<'FlowStarted'> & { readonly origin: { readonly kind: 'activity' } })

const unstarted: readonly DomainEvent['type'][] = [
  'ActivityMoved',
  'ActivityRemoved',
  'ActivityMissed',
  'ActivityStartFailed',
  'ActivityParked',
]

/** Whether an event settles an activity whose turn has come. */
export const isAttempt = (event: DomainEvent): event is AttemptEvent =>
  unstarted.includes(event.type) || (event.type === 'FlowStarted' && event.origin.kind === 'activity')

/** The state that an attempt is about. */
export const refOfAttempt = (event: AttemptEvent): StateRef => ('ref' in event ? event.ref : event.origin.ref)

const checkStart = (predicted: PredictedAttempt, event: EventOf<'FlowStarted'>): readonly ModelFinding[] => {
  const { ref, due, attempt, latenessMs, outcome } = predicted
  const { flow, name, input, origin } = event
  if (typeof outcome === 'string') return finding('No flow may be started here.', outcome, `FlowStarted ${name}`)
  return compareValues(
    'A start follows from the state ref, the due instant, the attempt and the clock.',
    {
      flow: predictedFlowId(predicted),
      name: outcome.start.name,
      input: outcome.start.input,
      origin: { kind: 'activity', ref, due, attempt, latenessMs, cause: outcome.cause },
    },
    { flow, name, input, origin },
  )
}

/** What speaks against a move. */
const checkMove = (
  { due, outcome }: PredictedAttempt,
  { activity, actsAt }: EventOf<'ActivityMoved'>,
  at: Instant,
): readonly ModelFinding[] => {
  const isOtherInstant = outcome === 'moved' || activity.at !== due
  const isEarly = actsAt !== undefined && actsAt > at
  if (isOtherInstant || isEarly) return []
  return finding('An activity is moved to another instant only.', `due at ${due}`, `moved to ${activity.at}`)
}

/** What speaks against an attempt at the activity of a state, made now for this cause. */
export const checkAttempt = (
  limits: ModelLimits,
  state: ModelState,
  cause: ModelCause,
  event: AttemptEvent,
  at: Instant,
): readonly ModelFinding[] => {
  const predicted = predictAttempt(state, cause, at)
  if (event.type === 'FlowStarted') return checkStart(predicted, event)
  if (event.type === 'ActivityMoved') return checkMove(predicted, event, at)
  if (event.type === 'ActivityRemoved') return []
  const { due, attempt, latenessMs } = predicted
  const numbers = compareValues(
    `The attempt at ${showRef(state.ref)} has the next number, and its lateness.`,
    { due, attempt, latenessMs },
    { due: event.due, attempt: event.attempt, latenessMs: event.latenessMs },
  )
  if (event.type === 'ActivityMissed')
    return [...numbers, ...compareValues('Missed means later than the tolerance.', 'missed', predicted.outcome)]
  const retryAt = predictRetry(limits, state, predicted, event.error.code, at)
  const retry = event.type === 'ActivityStartFailed' ? event.retryAt : undefined
  return [...numbers, ...compareValues('A failed start is tried again with back-off, then parked.', retryAt, retry)]
}
