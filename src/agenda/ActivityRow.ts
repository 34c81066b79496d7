/**
 * What a state asks for next, and how that stands. Only the agenda's evolver changes it.
 */
import type { StateRow } from '../vault/StateRow.js'

/** How a state's activity stands. Only `scheduled` ones have an instant at which the node acts. */
export type Standing =
  /** On the agenda. */
  | 'scheduled'
  /** Its flow is under way. */
  | 'started'
  /** Its flow ended without consuming the state; a start of the node opens another attempt. */
  | 'ended'
  /** Over for good: killed, dismissed, or declared once. */
  | 'closed'
  /** Needs attention, with an error. */
  | 'parked'
  /** Too late, with no flow for that case: needs attention. */
  | 'missed'
  /** Held back by an operator. */
  | 'paused'

/** The members of an activity; a state that asks for nothing has no standing. */
export type ActivityColumns = {
  standing: Standing | null
  dueMs: number | null
  /** When this node acts: the due instant, or later for a takeover or a retry, or sooner when triggered. */
  actsAtMs: number | null
  /** Canonical text of the activity. */
  activity: string | null
  /** What makes the next start other than due: an operator's trigger or retry. */
  cause: 'trigger' | 'retry' | null
  /** Attempts made at the occurrence so far. */
  attempt: number
  /** Why it is parked: canonical text of the recorded error. */
  error: string | null
  note: string | null
}

/** An activity with the state that asks for it. */
export type ActivityRow = StateRow & Readonly<ActivityColumns>

/** An activity in the hands of the agenda's evolver. */
export type ActivityDraft = StateRow & ActivityColumns
