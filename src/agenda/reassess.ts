/**
 * Asks the app again about a state that is recorded already, for an app whose newer version says something else. It is
 * recorded only where the answer has changed.
 */
import { canonicalText } from '../encoding/canonical.js'
import type { AgendaReads } from './AgendaReads.js'
import { concernsNode } from '../errors/CarillonError.js'
import { PublicKeyC } from '../identity/PublicKey.js'
import type { AnyStateDefinition } from '../ledger/StateDefinition.js'
import type { Assessment } from '../ledger/Assessment.js'
import { sameIndexed } from '../ledger/IndexedValue.js'
import type { EventOf } from '../log/events.js'
import { settleKeys } from '../vault/checkKeys.js'
import { assessmentParts } from '../vault/TransactionParts.js'
import { readState } from '../vault/readState.js'
import type { ActivityRow } from './ActivityRow.js'
import { assess, knownOf, unanswered } from '../ledger/assess.js'

/** What a state says now, where that has changed. */
export type Reassessment = {
  readonly event: EventOf<'StateReassessed'>
  /** What is recorded instead when the event is too large: the state is parked, and the others are asked all the same. */
  readonly otherwise: (error: unknown) => EventOf<'StateReassessed'>
}

/** A state that the app can no longer read, or that throws, is parked; the others are asked all the same. */
const assessAgain = (reads: AgendaReads, definition: AnyStateDefinition, row: ActivityRow): Assessment => {
  try {
    return assess(reads, definition, readState(definition, row), row.ref)
  } catch (error) {
    if (concernsNode(error)) throw error
    const participants = row.participants.split(' ').filter(PublicKeyC.is)
    const { relevant, key } = row
    const indexed = reads.views.stateIndex.valuesOf(row)
    return unanswered(definition, knownOf({ relevant, participants, key: key ?? undefined, indexed }), error)
  }
}

const plain = (assessment: Assessment): Assessment => JSON.parse(canonicalText(assessment)) as Assessment

/** Asks the app about a state again; undefined when nothing has changed, or when it is not to be asked now. */
export const reassess = (
  reads: AgendaReads,
  definition: AnyStateDefinition,
  row: ActivityRow,
): Reassessment | undefined => {
  // A flow that is under way decides what becomes of the state; what an operator has paused stays paused.
  if (row.standing === 'started' || row.standing === 'paused') return undefined
  // What is here only because others build on it is never relevant, whatever the app says about its state.
  if (!row.relevant && reads.views.transactions.isAncestor(row.transactionSeq)) return undefined
  const asked = assessAgain(reads, definition, row)
  const [assessment = asked] = settleKeys(reads, { inputs: [row.ref], types: [definition.type], assessments: [asked] })
  const parts = assessmentParts(assessment)
  // What was closed stays closed, also when it could not answer.
  if (row.standing === 'closed' && parts.failure !== null) return undefined
  const same =
    parts.activity === row.activity &&
    parts.relevant === row.relevant &&
    parts.participants === row.participants &&
    parts.key === row.key &&
    sameIndexed(parts.indexed, reads.views.stateIndex.valuesOf(row)) &&
    (parts.failure === null) === (row.error === null) &&
    // An untouched activity is also to be done when it is this party's turn; others have an instant of their own.
    (row.standing !== 'scheduled' || row.attempt > 0 || row.cause !== null || parts.actsAtMs === row.actsAtMs)
  if (same) return undefined
  const said = (now: Assessment): EventOf<'StateReassessed'> => ({
    type: 'StateReassessed',
    ref: row.ref,
    assessment: plain(now),
  })
  return { event: said(assessment), otherwise: (error) => said(unanswered(definition, knownOf(assessment), error)) }
}
