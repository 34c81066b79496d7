/**
 * Folds what happens to activities between their state's production and consumption.
 */
import { canonicalText } from '../encoding/canonical.js'
import { assertInvariant } from '../errors/CarillonError.js'
import type { FlowTable } from '../flow/FlowTable.js'
import type { DomainEvent, EventOf } from '../log/events.js'
import type { StateRef } from '../ledger/StateRef.js'
import { toMillis } from '../time/Instant.js'
import { applyAssessment } from '../vault/foldVault.js'
import type { StateIndex } from '../vault/StateIndex.js'
import type { StateRow } from '../vault/StateRow.js'
import type { NodeFacts } from '../storage/NodeFacts.js'
import type { PastAssessmentTable } from '../vault/PastAssessmentTable.js'
import type { StateTable } from '../vault/StateTable.js'
import { assessmentParts, type AssessmentParts } from '../vault/TransactionParts.js'
import type { UnstartedOutcome, UnstartedTable } from './UnstartedTable.js'

export type AgendaTables = {
  readonly facts: NodeFacts
  readonly states: StateTable
  readonly stateIndex: StateIndex
  readonly pastAssessments: PastAssessmentTable
  readonly unstarted: UnstartedTable
  readonly flows: Pick<FlowTable, 'lastAttempt'>
}

export type AgendaEvent = Extract<DomainEvent, { readonly ref: StateRef }>

/** An attempt that came to its outcome without a flow. */
type AttemptEvent = EventOf<'ActivityMissed'> | EventOf<'ActivityStartFailed'> | EventOf<'ActivityParked'>

export const foldAgenda = (tables: AgendaTables, event: AgendaEvent, revision: number, atMs: number): void => {
  const { states, unstarted, flows } = tables
  const row = states.find(event.ref)
  assertInvariant(
    row !== undefined,
    `${event.type} names the unknown state ${event.ref.transaction}:${event.ref.index}`,
  )

  if (event.type === 'StateReassessed') tables.pastAssessments.insert(row, revision)

  const attempted = (attempt: AttemptEvent, outcome: UnstartedOutcome): void => {
    row.attempt = attempt.attempt
    const error = 'error' in attempt ? canonicalText(attempt.error) : null
    unstarted.insert({
      stateSeq: row.seq,
      dueMs: toMillis(attempt.due),
      attempt: attempt.attempt,
      outcome,
      latenessMs: attempt.latenessMs,
      atMs,
      revision,
      error,
      by: null,
    })
  }

  /** An occurrence that comes back, moved away and back again, counts on where it was. */
  const attemptsAt = (dueMs: number | null): number =>
    dueMs === null ? 0 : Math.max(flows.lastAttempt(row.seq, dueMs), unstarted.lastAttempt(row.seq, dueMs))

  const me = tables.facts.now.partyKey
  if (event.type === 'StateReassessed') tables.stateIndex.remove(row, me)
  fold(
    row,
    event,
    attemptsAt,
    attempted,
    () => {
      unstarted.insert({
        stateSeq: row.seq,
        dueMs: row.dueMs,
        attempt: row.attempt + 1,
        outcome: 'discharged',
        latenessMs: atMs - (row.dueMs ?? atMs),
        atMs,
        revision,
        error: null,
        by: 'by' in event ? event.by : null,
      })
      row.attempt += 1
    },
    atMs,
  )
  if (event.type === 'StateReassessed') tables.stateIndex.insert(row, event.assessment.indexed ?? null, me)
  states.touch(row)
}

/** A new word about the same occurrence does not begin it again when it is over. */
const foldReassessed = (row: StateRow, assessment: AssessmentParts): void => {
  const { standing, dueMs } = row
  applyAssessment(row, assessment)
  row.cause = null
  if (row.standing !== 'scheduled' || row.dueMs !== dueMs) return
  if (standing !== 'ended' && standing !== 'closed') return
  row.standing = standing
  row.actsAtMs = null
}

const fold = (
  row: StateRow,
  event: AgendaEvent,
  attemptsAt: (dueMs: number | null) => number,
  attempted: (attempt: AttemptEvent, outcome: UnstartedOutcome) => void,
  discharged: () => void,
  atMs: number,
): void => {
  switch (event.type) {
    case 'ActivityMoved':
      row.standing = 'scheduled'
      row.activity = canonicalText(event.activity)
      row.dueMs = toMillis(event.activity.at)
      row.actsAtMs = toMillis(event.actsAt ?? event.activity.at)
      row.attempt = attemptsAt(row.dueMs)
      row.error = null
      row.cause = null
      return
    case 'ActivityRemoved':
      row.standing = null
      row.activity = null
      row.dueMs = null
      row.actsAtMs = null
      row.error = null
      row.cause = null
      return
    case 'ActivityMissed':
      attempted(event, 'missed')
      row.standing = 'missed'
      row.actsAtMs = null
      return
    case 'ActivityStartFailed':
      attempted(event, 'start-failed')
      // It may have ended before, and been opened again by a start of the node.
      row.standing = 'scheduled'
      row.actsAtMs = toMillis(event.retryAt)
      row.error = canonicalText(event.error)
      return
    case 'ActivityParked':
      attempted(event, 'parked')
      row.standing = 'parked'
      row.actsAtMs = null
      row.error = canonicalText(event.error)
      return
    case 'ActivityPaused':
      row.standing = 'paused'
      row.actsAtMs = null
      row.note = event.note ?? null
      return
    case 'ActivityResumed':
      row.standing = 'scheduled'
      row.actsAtMs = row.dueMs
      row.note = null
      row.cause = null
      return
    case 'ActivityTriggered':
    case 'ActivityRetried':
      row.standing = 'scheduled'
      row.actsAtMs = atMs
      row.error = null
      row.note = null
      row.cause = event.type === 'ActivityTriggered' ? 'trigger' : 'retry'
      return
    case 'ActivityDismissed':
      discharged()
      row.standing = 'closed'
      row.actsAtMs = null
      row.note = event.note ?? null
      return
    case 'StateReassessed':
      foldReassessed(row, assessmentParts(event.assessment))
      row.attempt = attemptsAt(row.dueMs)
      return
  }
}
