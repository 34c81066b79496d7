/**
 * Decides what happens to an activity whose time has come. It is rechecked against the vault and against what
 * the state says now; then exactly one thing comes of it: started, moved, removed, missed, failed or parked.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import { encoded, Encoded, type Json } from '../encoding/canonical.js'
import { decodeWith } from '../encoding/decode.js'
import { plainForm, plainText } from '../encoding/plainForm.js'
import { CarillonError, concernsNode, recordError, type RecordedError } from '../errors/CarillonError.js'
import { atPlace } from '../errors/codePlace.js'
import type { StartCause } from '../flow/FlowRow.js'
import type { FlowStart } from '../flow/FlowStart.js'
import { waitAfter } from '../flow/RetryPolicy.js'
import type { Activity, FlowRef } from '../ledger/Activity.js'
import { askState, type ClockRead } from '../ledger/assess.js'
import type { Assessment } from '../ledger/Assessment.js'
import type { FlowSignature } from '../ledger/Definitions.js'
import type { DomainEvent } from '../log/events.js'
import { flowIdOfOccurrence } from '../log/FlowId.js'
import { instantFromMillis, latestInstantMs, toMillis, type Instant } from '../time/Instant.js'
import { readState } from '../vault/readState.js'
import type { ActivityRow } from './ActivityRow.js'
import type { AgendaReads } from './AgendaReads.js'

/** What becomes of a due activity: a flow to start, or a fact. */
export type DueDecision =
  | { readonly kind: 'start'; readonly start: FlowStart }
  | { readonly kind: 'event'; readonly event: DomainEvent }
  /** It was moved, and is due at its new instant too: it is to be decided again. */
  | { readonly kind: 'moved'; readonly event: DomainEvent }

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

/** The outcome of an attempt that could not start its flow: it is tried again with back-off, and parked in the end. */
export const decideFailedStart = (
  reads: AgendaReads,
  row: Pick<ActivityRow, 'ref' | 'seq' | 'dueMs' | 'attempt'>,
  error: RecordedError,
): DomainEvent => {
  const dueMs = row.dueMs ?? reads.nowMs
  const attempt = row.attempt + 1
  const attempted = { ref: row.ref, due: instantFromMillis(dueMs), attempt, latenessMs: reads.nowMs - dueMs, error }
  // Attempts that did start a flow say nothing against trying again.
  const failures = attempt - reads.views.flows.lastAttempt(row.seq, dueMs)
  const limits = reads.limits.agenda
  const waitMs = waitAfter(
    { firstWaitMs: limits.startRetryFirstMs, longestWaitMs: limits.startRetryLongestMs },
    failures,
  )
  const retryMs = reads.nowMs + waitMs
  return !mayPass.has(error.code) || failures >= limits.startAttempts || retryMs > latestInstantMs
    ? { type: 'ActivityParked', ...attempted }
    : { type: 'ActivityStartFailed', ...attempted, retryAt: instantFromMillis(retryMs) }
}

/** The input as text: the log and the views both hold it. */
const inputText = (codec: FlowSignature['input'], input: Json): Encoded => {
  const form = plainForm(codec)
  return form?.check(input) === true ? new Encoded(plainText(form, input)) : encoded(input)
}

const startOf = (
  reads: AgendaReads,
  { ref, attempt }: ActivityRow,
  due: Instant,
  latenessMs: number,
  flow: FlowRef,
  cause: StartCause,
): DueDecision => {
  const signature = reads.registry.requireFlow(flow.name)
  const input = decodeWith(signature.input, flow.input)
  if (isLeft(input))
    throw new CarillonError(
      'flow-input-invalid',
      `The input for flow ${flow.name} does not fit its codec: ${input.left.join('; ')}`,
      { flow: flow.name },
    )
  return {
    kind: 'start',
    start: {
      id: flowIdOfOccurrence(ref, due, attempt + 1),
      name: flow.name,
      input: input.right,
      encodedInput: inputText(signature.input, flow.input),
      origin: { kind: 'activity', ref, due, attempt: attempt + 1, latenessMs, cause },
    },
  }
}

/** Asks the state again. App code that cannot even be asked counts as a failed start. */
const ask = (
  reads: AgendaReads,
  row: ActivityRow,
): { readonly assessment: Assessment; readonly looksAtClock: () => ClockRead | undefined } => {
  const definition = reads.registry.requireState(row.kind.type)
  const data = readState(definition, row)
  return {
    assessment: askState(reads, definition, data, row.ref),
    looksAtClock: () => reads.readsClock(() => definition.nextScheduledActivity?.(data, row.ref)),
  }
}

/** Throws when a state's answer cannot be relied on: it must be the same however often the state is asked. */
const assertSettled = (
  reads: AgendaReads,
  row: ActivityRow,
  { assessment, looksAtClock }: ReturnType<typeof ask>,
  wasMoved: boolean,
): void => {
  const type = row.kind.type
  const read = looksAtClock()
  if (read !== undefined) {
    throw new CarillonError(
      'activity-reads-clock',
      `nextScheduledActivity of ${type} gives another instant each time, because it reads the clock with ${read.what}${atPlace(read.at)}. It must depend on the state alone: put the instant into the state when it is produced.`,
      { type },
    )
  }
  const again = ask(reads, row).assessment.activity
  if (wasMoved || again?.at !== assessment.activity?.at) {
    throw new CarillonError(
      'activity-invalid',
      `nextScheduledActivity of ${type} gives another instant each time it is asked: it was due at ${instantFromMillis(row.dueMs ?? 0)}, and now it names ${assessment.activity?.at ?? 'none'}. It must depend on the state alone, and not on the clock or on anything else outside: put the instant into the state when it is produced.`,
      { type },
    )
  }
}

/** Too late to run. A party that takes over is late from the moment its own turn came. */
const isMissed = (reads: AgendaReads, activity: Activity, turnAt: Instant, cause: StartCause): boolean =>
  activity.toleranceMs !== undefined &&
  reads.nowMs - toMillis(turnAt) > activity.toleranceMs &&
  (cause === 'due' || cause === 'restart')

/** Whether it is still another party's turn; what an operator asks for does not wait for it. */
const isEarly = (reads: AgendaReads, { actsAt }: Assessment, cause: StartCause): boolean =>
  actsAt !== undefined && toMillis(actsAt) > reads.nowMs && (cause === 'due' || cause === 'restart')

/** The fact that an activity has another instant by now; decided again when that has come too. */
const moved = (
  reads: AgendaReads,
  ref: ActivityRow['ref'],
  activity: Activity,
  actsAt: Instant | undefined,
  cause: StartCause,
): DueDecision => {
  const event = { type: 'ActivityMoved', ref, activity, ...(actsAt === undefined ? {} : { actsAt }) } as const
  // Whoever triggers it wants it now, whatever instant the state names by now.
  const isDue = cause === 'trigger' || toMillis(actsAt ?? activity.at) <= reads.nowMs
  return { kind: isDue ? 'moved' : 'event', event }
}

const decideAsked = (reads: AgendaReads, row: ActivityRow, cause: StartCause, wasMoved: boolean): DueDecision => {
  const answer = ask(reads, row)
  const { activity, actsAt, failure } = answer.assessment
  if (failure !== undefined) {
    const { code, message, stack, causes } = failure
    const trace = { ...(stack === undefined ? {} : { stack }), ...(causes === undefined ? {} : { causes }) }
    return { kind: 'event', event: decideFailedStart(reads, row, { code, message, ...trace }) }
  }
  if (activity === undefined) return { kind: 'event', event: { type: 'ActivityRemoved', ref: row.ref } }
  const isMoved = toMillis(activity.at) !== row.dueMs
  if (isMoved) assertSettled(reads, row, answer, wasMoved)
  if (isMoved || isEarly(reads, answer.assessment, cause)) return moved(reads, row.ref, activity, actsAt, cause)
  // It was not moved, so its instant is the recorded one.
  const due = activity.at
  const latenessMs = reads.nowMs - row.dueMs
  if (!isMissed(reads, activity, actsAt ?? due, cause))
    return startOf(reads, row, due, latenessMs, activity.flow, cause)
  if (activity.onMissed !== undefined) return startOf(reads, row, due, latenessMs, activity.onMissed, 'missed')
  return {
    kind: 'event',
    event: { type: 'ActivityMissed', ref: row.ref, due, attempt: row.attempt + 1, latenessMs },
  }
}

/**
 * What becomes of an activity that is due, or that is started for another cause. An error is a failed start. `wasMoved`: the
 * same code has named another instant for it before.
 */
export const decideDue = (reads: AgendaReads, row: ActivityRow, cause: StartCause, wasMoved: boolean): DueDecision => {
  try {
    return decideAsked(reads, row, cause, wasMoved)
  } catch (error) {
    if (concernsNode(error)) throw error
    return { kind: 'event', event: decideFailedStart(reads, row, recordError(error, 'activity-threw')) }
  }
}
