/**
 * How the standing of an activity follows from what happens to it. This is the only place that says so, and the table in
 * docs/reference/outcomes.md is printed from it. Which standing an operator may act on is decided before.
 */
import type { DomainEvent } from '../log/events.js'
import type { Standing } from './ActivityRow.js'

/** What can happen to an activity, by the events that say it. */
export const happenings = {
  'its state asks for it': ['TransactionRecorded', 'StateReassessed'],
  'its state asks for it again, at the same instant': ['StateReassessed'],
  'its state asks for nothing': ['TransactionRecorded', 'StateReassessed', 'ActivityRemoved'],
  'its state cannot be asked': ['TransactionRecorded', 'StateReassessed'],
  'its state names another instant': ['ActivityMoved'],
  'its flow starts': ['FlowStarted'],
  'its flow ends': ['FlowEnded'],
  'its flow is killed, or ends and is declared once': ['FlowEnded'],
  'its flow cannot be started yet': ['ActivityStartFailed'],
  'its flow cannot be started': ['ActivityParked'],
  'it is too late': ['ActivityMissed'],
  'an operator pauses it': ['ActivityPaused'],
  'an operator resumes it': ['ActivityResumed'],
  'an operator triggers it': ['ActivityTriggered'],
  'an operator retries it': ['ActivityRetried'],
  'an operator dismisses it': ['ActivityDismissed'],
  'its state is consumed': ['TransactionRecorded'],
} as const satisfies Readonly<Record<string, readonly DomainEvent['type'][]>>

export type Happening = keyof typeof happenings

/** The standing after something happened; null when the state asks for nothing or is consumed. */
export const nextStanding = (standing: Standing | null, happening: Happening): Standing | null => {
  switch (happening) {
    case 'its state asks for it':
    case 'its state names another instant':
    case 'its flow cannot be started yet':
    case 'an operator resumes it':
    case 'an operator triggers it':
    case 'an operator retries it':
      return 'scheduled'
    case 'its state asks for it again, at the same instant':
      // An occurrence that is over does not begin again.
      return standing === 'ended' || standing === 'closed' ? standing : 'scheduled'
    case 'its flow starts':
      return 'started'
    case 'its flow ends':
      return 'ended'
    case 'its flow is killed, or ends and is declared once':
    case 'an operator dismisses it':
      return 'closed'
    case 'its state cannot be asked':
    case 'its flow cannot be started':
      return 'parked'
    case 'it is too late':
      return 'missed'
    case 'an operator pauses it':
      return 'paused'
    case 'its state asks for nothing':
    case 'its state is consumed':
      return null
  }
}
