/**
 * An activity, and an attempt at it, as people and apps see them from outside a tick.
 */
import { withoutTrace, type RecordedError } from '../errors/CarillonError.js'
import type { Activity } from '../ledger/Activity.js'
import type { StateRef } from '../ledger/StateRef.js'
import type { FlowId } from '../log/FlowId.js'
import { instantFromMillis, type Instant } from '../time/Instant.js'
import type { ActivityRow, Standing } from './ActivityRow.js'
import type { UnstartedOutcome } from './UnstartedRow.js'

/** An activity as the agenda shows it. */
export type AgendaEntry = {
  readonly ref: StateRef
  readonly type: string
  readonly standing: Standing
  /** When the state asked for it. */
  readonly due?: Instant
  /** When this node will act, where that is not the due instant. */
  readonly actsAt?: Instant
  readonly flow?: string
  readonly attempts: number
  readonly error?: RecordedError
  readonly note?: string
}

/** Which activities to list. */
export type AgendaQuery = {
  /**
   * Default `scheduled`: what is to come. `attention` are those that need attention: parked, missed, failed
   * without consuming their state, or completed without consuming it where the flow does not say that this is intended.
   */
  readonly show?: 'scheduled' | 'attention' | 'paused' | 'started'
  /** At most so many; default 100. */
  readonly limit?: number
  /** The cursor of the page before: the answer's `next`. What was started meanwhile shifts nothing. */
  readonly after?: string
}

/** An attempt at an occurrence, with its outcome; `running` until it has one. */
export type Attempt = {
  readonly due?: Instant
  readonly attempt: number
  readonly at: Instant
  readonly latenessMs: number
  readonly outcome:
    'running' | 'parked-flow' | 'completed' | 'refused' | 'failed' | 'killed' | 'superseded' | UnstartedOutcome
  readonly flow?: FlowId
  readonly flowName?: string
  readonly cause?: string
  readonly error?: RecordedError
  readonly by?: string
}

/** An entry as lists show it: an error is told in a line there. */
export const listedEntry = (entry: AgendaEntry): AgendaEntry =>
  entry.error === undefined ? entry : { ...entry, error: withoutTrace(entry.error) }

/** A row as the agenda knows it. */
export const agendaEntryOf = (row: ActivityRow): AgendaEntry => ({
  ref: row.ref,
  type: row.kind.type,
  standing: row.standing ?? 'closed',
  ...(row.dueMs === null ? {} : { due: instantFromMillis(row.dueMs) }),
  ...(row.actsAtMs === null || row.actsAtMs === row.dueMs ? {} : { actsAt: instantFromMillis(row.actsAtMs) }),
  ...(row.activity === null ? {} : { flow: (JSON.parse(row.activity) as Activity).flow.name }),
  attempts: row.attempt,
  ...(row.error === null ? {} : { error: JSON.parse(row.error) as RecordedError }),
  ...(row.note === null ? {} : { note: row.note }),
})
