/**
 * What an attempt at an occurrence must be: its number, its lateness, the id of its flow, and whether it is too late.
 * All of it follows from the log and the instant, so a crash before or after the start neither loses nor doubles it.
 */
import { sha256 } from '../encoding/hash.js'
import type { FlowRef } from '../ledger/Activity.js'
import { showRef, type StateRef } from '../ledger/StateRef.js'
import { instantFromMillis, latestInstantMs, millisBetween, toMillis, type Instant } from '../time/Instant.js'
import { lastAttempt, type ModelCause } from './ModelAttempt.js'
import type { ModelLimits } from './Model.js'
import type { ModelState } from './ModelState.js'

/** What the model expects of an attempt. */
export type PredictedAttempt = {
  readonly ref: StateRef
  readonly due: Instant
  readonly attempt: number
  readonly latenessMs: number
  /**
   * `early`: it is another party's turn still. `missed`: too late, without a flow for that case. `moved`: the state has
   * not said when it is due, so it must do so first.
   */
  readonly outcome: { readonly start: FlowRef; readonly cause: ModelCause } | 'early' | 'missed' | 'moved'
}

/** The id of the flow of an attempt: the same attempt always has the same flow. */
export const predictedFlowId = ({ ref, due, attempt }: Pick<PredictedAttempt, 'ref' | 'due' | 'attempt'>): string =>
  sha256(`occurrence\n${showRef(ref)}\n${due}\n${attempt}`).slice(0, 32)

const outcomeOf = ({ activity }: ModelState, cause: ModelCause, at: Instant): PredictedAttempt['outcome'] => {
  const { asked, turnAt } = activity
  if (asked === undefined || turnAt === undefined) return 'moved'
  // Tolerance and turns are for the scheduler. An operator's word counts at once, however late it is.
  const isScheduled = cause === 'due' || cause === 'restart'
  if (isScheduled && turnAt > at) return 'early'
  const isMissed = isScheduled && asked.toleranceMs !== undefined && millisBetween(turnAt, at) > asked.toleranceMs
  if (!isMissed) return { start: asked.flow, cause }
  return asked.onMissed === undefined ? 'missed' : { start: asked.onMissed, cause: 'missed' }
}

/** What an attempt at the activity of a state must be, if it is made now. */
export const predictAttempt = (state: ModelState, cause: ModelCause, at: Instant): PredictedAttempt => {
  const due = state.activity.asked?.at ?? at
  return {
    ref: state.ref,
    due,
    attempt: state.activity.attempts + 1,
    latenessMs: millisBetween(due, at),
    outcome: outcomeOf(state, cause, at),
  }
}

/** Errors that may pass without an operator, for example when the app is installed that knows the flow. */
const mayPass: readonly string[] = [
  'flow-unknown',
  'flow-not-schedulable',
  'flow-input-invalid',
  'state-type-unknown',
  'state-version-unknown',
  'state-data-invalid',
  'fact-too-large',
]

/** When a failed start is tried again: after a wait that doubles. Undefined: it is parked. */
export const predictRetry = (
  limits: ModelLimits,
  state: ModelState,
  { due, attempt }: PredictedAttempt,
  errorCode: string,
  at: Instant,
): Instant | undefined => {
  const started = state.attempts.filter(({ flow }) => flow !== undefined)
  const failures = attempt - lastAttempt(started, due)
  const waitMs = Math.min(limits.startRetryFirstMs * 2 ** (failures - 1), limits.startRetryLongestMs)
  const retryMs = toMillis(at) + waitMs
  if (!mayPass.includes(errorCode) || failures >= limits.startAttempts || retryMs > latestInstantMs) return undefined
  return instantFromMillis(retryMs)
}
