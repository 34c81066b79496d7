/**
 * What happens to an activity between the production and the consumption of its state, apart from its flow. Each event
 * leads to one standing, whatever the standing was before; which standing allows it is in refuseActivity.ts.
 */
import type { StateRef } from '../ledger/StateRef.js'
import { millisBetween } from '../time/Instant.js'
import type { DomainEvent, EventOf } from '../log/events.js'
import type { EventPlace } from './LoggedTick.js'
import { assessedActivity, type ModelActivity } from './ModelActivity.js'
import { lastAttempt } from './ModelAttempt.js'
import type { ModelState } from './ModelState.js'

/** An event about the activity of one state. */
export type ActivityEvent = Extract<DomainEvent, { readonly ref: StateRef }>

/** The state is asked again. The same occurrence does not begin anew when it is over. */
const reassess = (
  state: ModelState,
  { assessment }: EventOf<'StateReassessed'>,
  { revision }: EventPlace,
): ModelState => {
  const { activity: before, attempts } = state
  const { relevant, participants } = assessment
  const key = relevant ? assessment.key : undefined
  const asked = assessedActivity(assessment)
  const isOver = before.standing === 'ended' || before.standing === 'closed'
  const isSame = asked.standing === 'scheduled' && asked.asked?.at === before.asked?.at
  const { endedRevision, attentionAt, note } = before
  const activity = { ...asked, attempts: lastAttempt(attempts, asked.asked?.at), endedRevision, attentionAt, note }
  return {
    ...{ ...state, relevant, participants, key, indexed: assessment.indexed },
    before: [...state.before, { untilRevision: revision, relevant: state.relevant, key: state.key }],
    activity: isOver && isSame ? { ...activity, standing: before.standing, actsAt: undefined } : activity,
  }
}

/** An operator closes the activity. That is an outcome like any other. */
const dismiss = (
  { activity, attempts, ...state }: ModelState,
  { by, note }: EventOf<'ActivityDismissed'>,
  { at }: EventPlace,
): ModelState => {
  const attempt = activity.attempts + 1
  const due = activity.asked?.at
  return {
    ...state,
    activity: { ...activity, standing: 'closed', actsAt: undefined, note, attempts: attempt },
    attempts: [...attempts, { due, attempt, at, latenessMs: millisBetween(due ?? at, at), outcome: 'dismissed', by }],
  }
}

/** The state after an event about its activity. */
export const applyActivity = (state: ModelState, event: ActivityEvent, place: EventPlace): ModelState => {
  const { activity, attempts } = state
  const { at } = place
  const become = (change: Partial<ModelActivity>): ModelState => ({ ...state, activity: { ...activity, ...change } })
  switch (event.type) {
    case 'ActivityMoved': {
      const { activity: asked, actsAt = asked.at } = event
      const turn = { asked, turnAt: actsAt, actsAt, attempts: lastAttempt(attempts, asked.at) }
      return become({ ...turn, standing: 'scheduled', cause: 'due', error: undefined })
    }
    case 'ActivityRemoved': {
      const nothing = { asked: undefined, turnAt: undefined, actsAt: undefined, error: undefined }
      return become({ ...nothing, standing: 'none', cause: 'due' })
    }
    case 'ActivityMissed':
    case 'ActivityStartFailed':
    case 'ActivityParked': {
      const { due, attempt, latenessMs } = event
      const [standing, outcome] = (
        {
          ActivityMissed: ['missed', 'missed'],
          ActivityStartFailed: ['scheduled', 'start-failed'],
          ActivityParked: ['parked', 'parked'],
        } as const
      )[event.type]
      const error = 'error' in event ? event.error : undefined
      const actsAt = 'retryAt' in event ? event.retryAt : undefined
      return {
        ...become({ standing, actsAt, attempts: attempt, error: error ?? activity.error }),
        attempts: [...attempts, { due, attempt, at, latenessMs, outcome, error }],
      }
    }
    case 'ActivityPaused':
      return become({ standing: 'paused', actsAt: undefined, note: event.note })
    case 'ActivityResumed':
      return become({ standing: 'scheduled', actsAt: activity.asked?.at, cause: 'due', note: undefined })
    case 'ActivityTriggered':
      return become({ standing: 'scheduled', actsAt: at, cause: 'trigger', error: undefined, note: undefined })
    case 'ActivityRetried':
      return become({ standing: 'scheduled', actsAt: at, cause: 'retry', error: undefined, note: undefined })
    case 'ActivityDismissed':
      return dismiss(state, event, place)
    case 'StateReassessed':
      return reassess(state, event, place)
  }
}
