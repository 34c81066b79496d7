/**
 * What an operator may do to an activity. Each is recorded with who did it.
 */
import type { OperatorReads } from './OperatorReads.js'
import { CarillonError } from '../errors/CarillonError.js'
import type { DomainEvent } from '../log/events.js'
import { showRef, type StateRef } from '../ledger/StateRef.js'
import type { Standing } from '../agenda/ActivityRow.js'

/** Who acts, and a remark of theirs. */
export type Operator = { readonly by: string; readonly note?: string }

type Verb = { readonly base: string; readonly past: string }

const assertIn = (reads: OperatorReads, ref: StateRef, verb: Verb, allowed: readonly (Standing | null)[]): void => {
  const text = showRef(ref)
  const row = reads.views.activities.find(ref)
  if (row === undefined) throw new CarillonError('state-unknown', `This node holds no state ${text}.`, { ref: text })
  if (row.untilRevision !== null)
    throw new CarillonError('state-consumed', `State ${text} is consumed; it has no activity to ${verb.base}.`, {
      ref: text,
    })
  if (row.standing === null)
    throw new CarillonError(
      'activity-unknown',
      `State ${text} has no activity to ${verb.base}: it asks for nothing, or is not relevant to this party.`,
      { ref: text },
    )
  if (!allowed.includes(row.standing)) {
    throw new CarillonError(
      'activity-not-ready',
      `The activity of ${text} is ${row.standing}; only one that is ${allowed.join(' or ')} can be ${verb.past}. Ask "carillon why ${text}".`,
      { ref: text, standing: row.standing },
    )
  }
}

const noted = (note: string | undefined): { readonly note?: string } => (note === undefined ? {} : { note })

/** Runs it now, whatever its due instant; also one whose flow ended, was missed or was closed. */
export const triggerActivity = (reads: OperatorReads, ref: StateRef, { by }: Operator): DomainEvent => {
  assertIn(reads, ref, { base: 'trigger', past: 'triggered' }, [
    'scheduled',
    'paused',
    'ended',
    'closed',
    'missed',
    'parked',
  ])
  return { type: 'ActivityTriggered', ref, by }
}

/** Tries one again that needs an operator. */
export const retryActivity = (reads: OperatorReads, ref: StateRef, { by }: Operator): DomainEvent => {
  assertIn(reads, ref, { base: 'retry', past: 'retried' }, ['parked', 'missed', 'ended'])
  return { type: 'ActivityRetried', ref, by }
}

/** Closes one that needs an operator: it will not be started again. */
export const dismissActivity = (reads: OperatorReads, ref: StateRef, { by, note }: Operator): DomainEvent => {
  assertIn(reads, ref, { base: 'dismiss', past: 'dismissed' }, ['parked', 'missed', 'ended', 'paused', 'scheduled'])
  return { type: 'ActivityDismissed', ref, by, ...noted(note) }
}

/** Holds one back until it is resumed. */
export const pauseActivity = (reads: OperatorReads, ref: StateRef, { by, note }: Operator): DomainEvent => {
  assertIn(reads, ref, { base: 'pause', past: 'paused' }, ['scheduled'])
  return { type: 'ActivityPaused', ref, by, ...noted(note) }
}

/** Puts a paused one back on the agenda at its due instant; when that has passed, it is late. */
export const resumeActivity = (reads: OperatorReads, ref: StateRef, { by }: Operator): DomainEvent => {
  assertIn(reads, ref, { base: 'resume', past: 'resumed' }, ['paused'])
  return { type: 'ActivityResumed', ref, by }
}
