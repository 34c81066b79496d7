/**
 * How the activity of a state stands. Only a scheduled activity has an instant at which the node acts, and a state has
 * one activity at most.
 */
import type { Activity } from '../ledger/Activity.js'
import type { Assessment } from '../ledger/Assessment.js'
import type { Instant } from '../time/Instant.js'
import type { ModelError } from './ModelAttempt.js'

/** How an activity stands. */
export type ModelStanding =
  /** The state asks for nothing, or is consumed. */
  | 'none'
  /** On the agenda. */
  | 'scheduled'
  /** Its flow is running. */
  | 'started'
  /** Its flow ended and left the state unconsumed. A start of the node makes another attempt. */
  | 'ended'
  /** Never started again without an operator: its flow was killed, it was dismissed, or it is declared once. */
  | 'closed'
  /** Needs an operator: the state could not be asked, or the flow could not be started. */
  | 'parked'
  /** Needs an operator: it was too late, and the state names no flow for that case. */
  | 'missed'
  /** Held back by an operator. */
  | 'paused'

/** The activity of a state. */
export type ModelActivity = {
  readonly standing: ModelStanding
  /** What the state asked for. `asked.at` is the due instant. */
  readonly asked: Activity | undefined
  /** When it is this party's turn: the due instant, or later where `runsOn` lets another party go first. */
  readonly turnAt: Instant | undefined
  /** When the node acts: its turn, or the instant of a retry, or at once when an operator said so. */
  readonly actsAt: Instant | undefined
  /** Why the next attempt is made. */
  readonly cause: 'due' | 'trigger' | 'retry'
  /** Attempts made at this occurrence so far. */
  readonly attempts: number
  /** Where the last flow ended, as a revision of the log. */
  readonly endedRevision: number | undefined
  /** The last flow completed and left the state unconsumed: from when on that needs an operator. */
  readonly attentionAt: Instant | undefined
  readonly error: ModelError | undefined
  readonly note: string | undefined
}

/** The activity that an assessment asks for. An error of the app's code parks the activity; it is not forgotten. */
export const assessedActivity = ({ activity: asked, actsAt, failure: error }: Assessment): ModelActivity => {
  const turnAt = actsAt ?? asked?.at
  const standing = error !== undefined ? 'parked' : asked === undefined ? 'none' : 'scheduled'
  return {
    ...{ standing, asked, turnAt, actsAt: standing === 'scheduled' ? turnAt : undefined, error },
    ...{ cause: 'due', attempts: 0, endedRevision: undefined, attentionAt: undefined, note: undefined },
  }
}
