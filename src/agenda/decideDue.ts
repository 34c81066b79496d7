/**
 * Decides what happens to an activity whose time has come. It is rechecked against the vault and against the
 * state's own word first; then exactly one thing is recorded: started, moved, removed, missed, failed or parked.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import type { Decision, SigningDecision } from '../decision/Decision.js'
import { encoded, Encoded, type Json } from '../encoding/canonical.js'
import { decodeWith } from '../encoding/decode.js'
import { plainForm, plainText } from '../encoding/plainForm.js'
import { CarillonError, concernsNode, recordError, type RecordedError } from '../errors/CarillonError.js'
import type { FlowEngine } from '../flow/FlowEngine.js'
import type { AnyFlowDefinition } from '../flow/FlowDefinition.js'
import { flowIdOfOccurrence } from '../log/FlowId.js'
import type { StartCause } from '../flow/FlowRow.js'
import { waitAfter } from '../flow/RetryPolicy.js'
import { limits } from '../limits.js'
import type { Activity, FlowRef } from '../ledger/Activity.js'
import type { Assessment } from '../log/events.js'
import { instantFromMillis, latestInstantMs, toMillis, type Instant } from '../time/Instant.js'
import { readState } from '../vault/readState.js'
import type { ActivityRow } from './ActivityRow.js'
import { askState } from './assess.js'

/** Errors that a later start may not meet again, once someone has installed what is missing. */
const mayPass: ReadonlySet<string> = new Set([
  'flow-unknown',
  'flow-not-schedulable',
  'flow-input-invalid',
  'state-type-unknown',
  'state-version-unknown',
  'state-data-invalid',
  'fact-too-large',
])

type Occurrence = {
  readonly row: ActivityRow
  readonly due: Instant
  readonly attempt: number
  readonly latenessMs: number
}

const failStart = (decision: Decision, { row, due, attempt, latenessMs }: Occurrence, error: RecordedError): void => {
  const attempted = { ref: row.ref, due, attempt, latenessMs, error }
  // Attempts that did start a flow say nothing against trying again.
  const failures = attempt - decision.views.flows.lastAttempt(row.seq, toMillis(due))
  const waitMs = waitAfter(
    { firstWaitMs: limits.startRetryFirstMs, longestWaitMs: limits.startRetryLongestMs },
    failures,
  )
  const retryMs = decision.nowMs + waitMs
  if (!mayPass.has(error.code) || failures >= limits.startAttempts || retryMs > latestInstantMs)
    decision.emit({ type: 'ActivityParked', ...attempted })
  else decision.emit({ type: 'ActivityStartFailed', ...attempted, retryAt: instantFromMillis(retryMs) })
}

/** The input as text: the log and the views both hold it. */
const inputText = (codec: AnyFlowDefinition['input'], input: Json): Encoded => {
  const form = plainForm(codec)
  return form?.check(input) === true ? new Encoded(plainText(form, input)) : encoded(input)
}

const startFlow = (
  decision: SigningDecision,
  engine: FlowEngine,
  { row, due, attempt, latenessMs }: Occurrence,
  flow: FlowRef,
  cause: StartCause,
): void => {
  const definition = decision.registry.requireFlow(flow.name)
  const input = decodeWith(definition.input, flow.input)
  if (isLeft(input))
    throw new CarillonError(
      'flow-input-invalid',
      `The input for flow ${flow.name} does not fit its codec: ${input.left.join('; ')}`,
      { flow: flow.name },
    )
  engine.start(decision, {
    id: flowIdOfOccurrence(row.ref, due, attempt),
    definition,
    input: input.right,
    encodedInput: inputText(definition.input, flow.input),
    origin: { kind: 'activity', ref: row.ref, due, attempt, latenessMs, cause },
  })
}

/** Asks the state again. App code that cannot even be asked counts as a failed start. */
const ask = (
  decision: Decision,
  row: ActivityRow,
): { readonly assessment: Assessment; readonly looksAtClock: () => boolean } => {
  const definition = decision.registry.requireState(row.kind.type)
  const data = readState(definition, row)
  return {
    assessment: askState(decision, definition, data, row.ref),
    looksAtClock: () => decision.readsClock(() => definition.nextScheduledActivity?.(data, row.ref)),
  }
}

/** Throws when the state's word cannot be relied on: it must be the same however often it is asked. */
const assertSettled = (
  decision: Decision,
  row: ActivityRow,
  { assessment, looksAtClock }: ReturnType<typeof ask>,
  justMoved: boolean,
): void => {
  const type = row.kind.type
  if (looksAtClock()) {
    throw new CarillonError(
      'activity-reads-clock',
      `nextScheduledActivity of ${type} gives another instant each time, because it reads the clock. It must depend on the state alone: put the instant into the state when it is produced.`,
      { type },
    )
  }
  const again = ask(decision, row).assessment.activity
  if (justMoved || again?.at !== assessment.activity?.at) {
    throw new CarillonError(
      'activity-invalid',
      `nextScheduledActivity of ${type} gives another instant each time it is asked. It must depend on the state alone.`,
      { type },
    )
  }
}

/** Too late to run. A party that takes over is late from the moment its own turn came. */
const isMissed = (decision: Decision, activity: Activity, turnAt: Instant, cause: StartCause): boolean =>
  activity.toleranceMs !== undefined &&
  decision.nowMs - toMillis(turnAt) > activity.toleranceMs &&
  (cause === 'due' || cause === 'restart')

/** Whether it is still another party's turn; an operator's word does not wait for it. */
const isEarly = (decision: Decision, { actsAt }: Assessment, cause: StartCause): boolean =>
  actsAt !== undefined && toMillis(actsAt) > decision.nowMs && (cause === 'due' || cause === 'restart')

export const decideOccurrence = (
  decision: SigningDecision,
  engine: FlowEngine,
  row: ActivityRow,
  cause: StartCause,
  justMoved = false,
): void => {
  const attempt = row.attempt + 1
  const dueMs = row.dueMs ?? decision.nowMs
  const latenessMs = decision.nowMs - dueMs
  const occurrence = (): Occurrence => ({ row, due: instantFromMillis(dueMs), attempt, latenessMs })
  try {
    const answer = ask(decision, row)
    const { assessment } = answer
    if (assessment.failure !== undefined) {
      const { code, message } = assessment.failure
      failStart(decision, occurrence(), { code, message })
      return
    }
    const { activity } = assessment
    if (activity === undefined) {
      decision.emit({ type: 'ActivityRemoved', ref: row.ref })
      return
    }
    const isMoved = toMillis(activity.at) !== row.dueMs
    if (isMoved || isEarly(decision, assessment, cause)) {
      if (isMoved) assertSettled(decision, row, answer, justMoved)
      decision.emit({
        type: 'ActivityMoved',
        ref: row.ref,
        activity,
        ...(assessment.actsAt === undefined ? {} : { actsAt: assessment.actsAt }),
      })
      const moved = decision.views.activities.get(row.seq)
      // Whoever triggers it wants it now, whatever instant the state names by now.
      if (cause === 'trigger' || (moved.actsAtMs !== null && moved.actsAtMs <= decision.nowMs))
        decideOccurrence(decision, engine, moved, cause, true)
      return
    }
    // It was not moved, so its instant is the recorded one.
    const settled = { row, due: activity.at, attempt, latenessMs }
    if (!isMissed(decision, activity, assessment.actsAt ?? activity.at, cause)) {
      startFlow(decision, engine, settled, activity.flow, cause)
    } else if (activity.onMissed !== undefined) {
      startFlow(decision, engine, settled, activity.onMissed, 'missed')
    } else {
      decision.emit({
        type: 'ActivityMissed',
        ref: row.ref,
        due: activity.at,
        attempt,
        latenessMs,
      })
    }
  } catch (error) {
    if (concernsNode(error)) throw error
    failStart(decision, occurrence(), recordError(error, 'activity-threw'))
  }
}

/** A tick is often full before it has taken all it may, so due rows are read in small portions. */
const rowsAtATime = 256

/** Everything that is due, in order, as far as this tick has room for it. */
export const decideDue = (decision: SigningDecision, engine: FlowEngine): void => {
  for (let decided = 0; decided < limits.activitiesPerTick; decided += rowsAtATime) {
    const rows = decision.views.activities.due(decision.nowMs, rowsAtATime)
    for (const row of rows) {
      if (decision.isFull()) return
      // A flow started just before may have consumed it.
      if (row.actsAtMs === null || row.actsAtMs > decision.nowMs) continue
      decideOccurrence(decision, engine, row, row.cause ?? 'due')
    }
    if (rows.length < rowsAtATime) return
  }
}
