/**
 * Writes how activities stand, from the production of their state to its consumption. Nothing else changes an activity:
 * it follows its flow through the flow's events.
 */
import { canonicalText } from '../encoding/canonical.js'
import { assertInvariant } from '../errors/CarillonError.js'
import type { FlowsReadTables } from '../flow/FlowTables.js'
import { showRef, type StateRef } from '../ledger/StateRef.js'
import type { DomainEvent, EventOf } from '../log/events.js'
import type { FlowId } from '../log/FlowId.js'
import type { FoldableTransaction } from '../log/FoldableEvent.js'
import { toMillis } from '../time/Instant.js'
import { assessmentParts, type AssessmentParts, type TransactionParts } from '../vault/TransactionParts.js'
import type { ActivityDraft } from './ActivityRow.js'
import type { AgendaTables } from './AgendaTables.js'
import { nextStanding, type Happening } from './nextStanding.js'
import type { UnstartedOutcome } from './UnstartedRow.js'

/** The tables of the agenda, and the flows that activities have started. */
export type AgendaEvolution = AgendaTables & FlowsReadTables

export type AgendaEvent = Extract<DomainEvent, { readonly ref: StateRef }> | EventOf<'FlowStarted' | 'FlowEnded'>

/** An attempt that came to its outcome without a flow. */
type AttemptEvent = EventOf<'ActivityMissed' | 'ActivityStartFailed' | 'ActivityParked'>

/** Gives an activity its next standing. `actsAtMs` counts only when it is scheduled then. */
const become = (row: ActivityDraft, happening: Happening, actsAtMs: number | null = null): void => {
  row.standing = nextStanding(row.standing, happening)
  row.actsAtMs = row.standing === 'scheduled' ? actsAtMs : null
}

const happeningOf = ({ activity, failure }: AssessmentParts): Happening => {
  if (failure !== null) return 'its state cannot be asked'
  return activity === null ? 'its state asks for nothing' : 'its state asks for it'
}

/** What a state asks for replaces whatever was scheduled before. */
const ask = (row: ActivityDraft, assessment: AssessmentParts, happening = happeningOf(assessment)): void => {
  become(row, happening, assessment.actsAtMs)
  row.activity = assessment.activity
  row.dueMs = assessment.dueMs
  row.error = assessment.failure
}

const rowOf = ({ activities }: AgendaTables, event: string, ref: StateRef): ActivityDraft => {
  const row = activities.find(ref)
  assertInvariant(row !== undefined, `${event} names the unknown state ${showRef(ref)}`)
  return row
}

/** A transaction takes the activities of what it consumes off the agenda, then adds those of what it produces. */
export const evolveActivities = (
  tables: AgendaEvolution,
  { id, type }: FoldableTransaction,
  { inputs, outputs }: TransactionParts,
): void => {
  const { activities } = tables
  for (const ref of inputs) {
    const row = activities.find(ref)
    // A transaction of another party may consume states this node never held.
    if (row === undefined) continue
    become(row, 'its state is consumed')
    tables.unconsumed.remove(row.seq)
    activities.progress(row)
  }
  outputs.forEach(({ assessment }, index) => {
    if (assessment.activity === null && assessment.failure === null) return
    const row = rowOf(tables, type, { transaction: id, index })
    ask(row, assessment)
    activities.touch(row)
  })
}

const startFlow = (tables: AgendaEvolution, { type, origin }: EventOf<'FlowStarted'>): void => {
  if (origin.kind !== 'activity') return
  const row = rowOf(tables, type, origin.ref)
  become(row, 'its flow starts')
  tables.unconsumed.remove(row.seq)
  row.attempt = origin.attempt
  row.error = null
  row.note = null
  row.cause = null
  tables.activities.progress(row)
}

const isDeclaredOnce = ({ activity }: ActivityDraft): boolean =>
  activity !== null && (JSON.parse(activity) as { readonly once?: boolean }).once === true

const endFlow = ({ activities, unconsumed }: AgendaEvolution, event: EventOf<'FlowEnded'>): void => {
  const { flow, outcome, error, attentionAt } = event
  const row = activities.ofFlow(flow as FlowId)
  if (row?.untilRevision !== null) return
  const isOver = outcome === 'killed' || isDeclaredOnce(row)
  become(row, isOver ? 'its flow is killed, or ends and is declared once' : 'its flow ends')
  if (attentionAt !== undefined && !isOver) unconsumed.set(row.seq, toMillis(attentionAt))
  // A failure needs attention at once; when a flow that completed does, the event says.
  row.error = outcome === 'failed' && error !== undefined ? canonicalText(error) : null
  activities.progress(row)
}

/** An occurrence that comes back, moved away and back again, counts on where it was. */
const attemptsAt = ({ flows, unstarted }: AgendaEvolution, { seq, dueMs }: ActivityDraft): number =>
  dueMs === null ? 0 : Math.max(flows.lastAttempt(seq, dueMs), unstarted.lastAttempt(seq, dueMs))

const addAttempt = (
  { unstarted }: AgendaTables,
  row: ActivityDraft,
  event: AttemptEvent,
  outcome: UnstartedOutcome,
  place: { readonly revision: number; readonly atMs: number },
): void => {
  const { due, attempt, latenessMs } = event
  const error = 'error' in event ? canonicalText(event.error) : null
  row.attempt = attempt
  // A miss says nothing about an error before it.
  if (error !== null) row.error = error
  unstarted.insert({ stateSeq: row.seq, dueMs: toMillis(due), attempt, outcome, latenessMs, ...place, error, by: null })
}

const reassess = (tables: AgendaEvolution, row: ActivityDraft, assessment: AssessmentParts): void => {
  const happening = happeningOf(assessment)
  const isSame = happening === 'its state asks for it' && assessment.dueMs === row.dueMs
  ask(row, assessment, isSame ? 'its state asks for it again, at the same instant' : happening)
  row.cause = null
  row.attempt = attemptsAt(tables, row)
}

export const evolveAgenda = (tables: AgendaEvolution, event: AgendaEvent, revision: number, atMs: number): void => {
  if (event.type === 'FlowStarted') {
    startFlow(tables, event)
    return
  }
  if (event.type === 'FlowEnded') {
    endFlow(tables, event)
    return
  }
  const { activities, unstarted } = tables
  const row = rowOf(tables, event.type, event.ref)
  const place = { revision, atMs }
  switch (event.type) {
    case 'StateReassessed':
      reassess(tables, row, assessmentParts(event.assessment))
      activities.touch(row)
      return
    case 'ActivityMoved':
      row.activity = canonicalText(event.activity)
      row.dueMs = toMillis(event.activity.at)
      become(row, 'its state names another instant', toMillis(event.actsAt ?? event.activity.at))
      row.attempt = attemptsAt(tables, row)
      row.error = null
      row.cause = null
      activities.touch(row)
      return
    case 'ActivityRemoved':
      become(row, 'its state asks for nothing')
      row.activity = null
      row.dueMs = null
      row.error = null
      row.cause = null
      activities.touch(row)
      return
    case 'ActivityMissed':
      addAttempt(tables, row, event, 'missed', place)
      become(row, 'it is too late')
      break
    case 'ActivityStartFailed':
      addAttempt(tables, row, event, 'start-failed', place)
      become(row, 'its flow cannot be started yet', toMillis(event.retryAt))
      break
    case 'ActivityParked':
      addAttempt(tables, row, event, 'parked', place)
      become(row, 'its flow cannot be started')
      break
    case 'ActivityPaused':
      become(row, 'an operator pauses it')
      row.note = event.note ?? null
      break
    case 'ActivityResumed':
      become(row, 'an operator resumes it', row.dueMs)
      row.note = null
      row.cause = null
      break
    case 'ActivityTriggered':
    case 'ActivityRetried': {
      const isTrigger = event.type === 'ActivityTriggered'
      become(row, isTrigger ? 'an operator triggers it' : 'an operator retries it', atMs)
      row.error = null
      row.note = null
      row.cause = isTrigger ? 'trigger' : 'retry'
      break
    }
    case 'ActivityDismissed': {
      const { seq: stateSeq, dueMs } = row
      const attempt = row.attempt + 1
      const latenessMs = atMs - (dueMs ?? atMs)
      const outcome = 'dismissed'
      unstarted.insert({ stateSeq, dueMs, attempt, outcome, latenessMs, ...place, error: null, by: event.by })
      row.attempt = attempt
      become(row, 'an operator dismisses it')
      row.note = event.note ?? null
      break
    }
  }
  activities.progress(row)
}
