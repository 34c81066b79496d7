/**
 * What the rules ask of the agenda's tables. Deciders get the reading half, the agenda's evolver both halves.
 */
import type { StateRef } from '../ledger/StateRef.js'
import type { FlowId } from '../log/FlowId.js'
import type { ActivityDraft, ActivityRow } from './ActivityRow.js'
import type { UnstartedRow } from './UnstartedRow.js'

export interface ActivitiesRead {
  readonly get: (stateSeq: number) => ActivityRow
  readonly find: (ref: StateRef) => ActivityRow | undefined
  /** The first that are due, in order; fewer than there are when no more were read ahead. */
  readonly due: (nowMs: number, limit: number) => readonly ActivityRow[]
  /** Whether something is due, of what was read ahead. */
  readonly isDueAhead: (nowMs: number) => boolean
  /** The earliest instant at which the node must act. */
  readonly nextDueMs: () => number | undefined
  /** Those whose flow ended without consuming the state, by due instant and log order, after a given place. */
  readonly ended: (after: { readonly dueMs: number; readonly seq: number }, limit: number) => readonly ActivityRow[]
  /** Of the unconsumed states of one type, in log order, after a given sequence number. */
  readonly unconsumedAfter: (type: string, afterSeq: number, limit: number) => readonly ActivityRow[]
}

export interface Activities extends ActivitiesRead {
  readonly get: (stateSeq: number) => ActivityDraft
  readonly find: (ref: StateRef) => ActivityDraft | undefined
  /** The activity that started a flow. */
  readonly ofFlow: (flow: FlowId) => ActivityDraft | undefined
  /** To be called after changing a row. */
  touch(row: ActivityDraft): void
  /** As {@link touch}, when only its standing, instant to act, attempts, error, note or cause were changed. */
  progress(row: ActivityDraft): void
}

export interface Unstarted {
  readonly insert: (row: UnstartedRow) => void
  /** The number of the last attempt that started no flow; 0 when there is none. */
  readonly lastAttempt: (stateSeq: number, dueMs: number) => number
}

/** States that a completed flow has left unconsumed, and from when on that needs attention. */
export interface Unconsumed {
  readonly set: (stateSeq: number, attentionAtMs: number) => void
  readonly remove: (stateSeq: number) => void
}

/** What deciders may ask of the agenda. */
export interface AgendaRead {
  readonly activities: ActivitiesRead
}

/** What the agenda's evolver writes to. */
export interface AgendaTables extends AgendaRead {
  readonly activities: Activities
  readonly unstarted: Unstarted
  readonly unconsumed: Unconsumed
}
