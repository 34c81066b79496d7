/**
 * Why an activity must not be attempted now, and what an operator may do to it. An activity that is paused, parked,
 * missed, closed or running is never attempted, and nothing is attempted while the node drains.
 */
import { showRef } from '../ledger/StateRef.js'
import type { DomainEvent } from '../log/events.js'
import type { Instant } from '../time/Instant.js'
import { isDue, mayReopen } from './agenda.js'
import type { Model } from './Model.js'
import type { ModelStanding } from './ModelActivity.js'
import type { ModelCause } from './ModelAttempt.js'
import type { ModelState } from './ModelState.js'

/** Why an attempt may be made, or why not. */
export type AttemptTurn = { readonly cause: ModelCause } | { readonly refused: string }

/** Whether it is the turn of an activity now. */
export const turnOf = (model: Model, state: ModelState, at: Instant): AttemptTurn => {
  const { standing, actsAt, cause } = state.activity
  if (state.consumed !== undefined) return { refused: `transaction ${state.consumed.by} has consumed the state` }
  if (model.node.draining) return { refused: 'the node drains' }
  if (isDue(state, at)) return { cause }
  if (standing === 'scheduled') return { refused: `the node must not act before ${actsAt ?? 'it is asked to'}` }
  if (mayReopen(model, state, at)) return { cause: 'restart' }
  return { refused: `the activity is ${standing}${standing === 'ended' ? ', and the node was not started since' : ''}` }
}

/** From which standings an operator, or an app that was asked again, may act on an activity. */
const allowed: Readonly<Partial<Record<DomainEvent['type'], readonly ModelStanding[]>>> = {
  ActivityPaused: ['scheduled'],
  ActivityResumed: ['paused'],
  ActivityTriggered: ['scheduled', 'paused', 'ended', 'closed', 'missed', 'parked'],
  ActivityRetried: ['parked', 'missed', 'ended'],
  ActivityDischarged: ['scheduled', 'paused', 'ended', 'missed', 'parked'],
  // A flow that is running settles the matter itself, and a paused activity keeps the operator's word.
  StateReassessed: ['none', 'scheduled', 'ended', 'closed', 'parked', 'missed'],
}

/** Why an event must not happen to an activity now; undefined when nothing speaks against it. */
export const refuseActivity = (model: Model, event: DomainEvent): string | undefined => {
  if (!('ref' in event)) return undefined
  const state = model.states.get(showRef(event.ref))
  if (state === undefined) return `this node holds no state ${showRef(event.ref)}`
  const standings = allowed[event.type]
  if (standings === undefined) return undefined
  if (state.consumed !== undefined) return `transaction ${state.consumed.by} has consumed the state`
  return standings.includes(state.activity.standing) ? undefined : `the activity is ${state.activity.standing}`
}
