/**
 * Asks the app about a state once, when it is recorded or rechecked: is it ours, and what does it want next?
 * Whatever the app's code does, an answer comes back; an exception parks the activity and stops nothing.
 */
import { isNone } from 'fp-ts/lib/Option.js'
import { isLeft } from 'fp-ts/lib/Either.js'
import { Duration } from 'luxon'
import type { Decision } from '../decision/Decision.js'
import type { Registry } from '../app/Registry.js'
import { decodeWith } from '../encoding/decode.js'
import { CarillonError, concernsNode, messageOf, recordError } from '../errors/CarillonError.js'
import type { Party } from '../identity/Party.js'
import { ActivityC, type Activity, type FlowRef } from '../ledger/Activity.js'
import type { AnyStateDefinition } from '../ledger/StateDefinition.js'
import type { StateRef } from '../ledger/StateRef.js'
import type { Assessment } from '../log/events.js'
import { instantFromMillis, toMillis, type Instant } from '../time/Instant.js'
import { assessmentParts, type AssessmentParts } from '../vault/TransactionParts.js'

/** What an assessment needs of a decision. */
type AssessedBy = Pick<Decision, 'registry' | 'me' | 'development' | 'readsClock'>

const checkFlow = (registry: Registry, flow: FlowRef): void => {
  const definition = registry.requireFlow(flow.name)
  if (!definition.schedulable) {
    throw new CarillonError(
      'flow-not-schedulable',
      `Flow ${flow.name} is not schedulable, so no state may name it. Add schedulable: true to its definition.`,
      { flow: flow.name },
    )
  }
  const decoded = decodeWith(definition.input, flow.input)
  if (isLeft(decoded))
    throw new CarillonError(
      'flow-input-invalid',
      `The input for flow ${flow.name} does not fit its codec: ${decoded.left.join('; ')}`,
      { flow: flow.name },
    )
}

/** Refuses what cannot be scheduled: an instant that is none, an unknown flow, an input that does not fit. */
const checkActivity = (registry: Registry, activity: Activity): void => {
  if (!ActivityC.is(activity)) {
    const decoded = decodeWith(ActivityC, activity)
    throw new CarillonError(
      'activity-invalid',
      `It is not an activity: ${isLeft(decoded) ? decoded.left.join('; ') : 'it holds values that are not plain data'}. Make it with activity(at, flow) or Flow.at(at, input).`,
    )
  }
  checkFlow(registry, activity.flow)
  if (activity.onMissed !== undefined) checkFlow(registry, activity.onMissed)
}

/** When this node acts on an activity: at its instant, later when other parties go first, or not at all. */
const actsAt = (definition: AnyStateDefinition, data: unknown, me: Party, at: Instant): Instant | undefined => {
  if (definition.runsOn === undefined) return at
  const { parties, takeoverAfter } = definition.runsOn(data)
  const place = parties.findIndex(({ key }) => key === me.key)
  if (place < 0) return undefined
  return place === 0
    ? at
    : instantFromMillis(toMillis(at) + place * Math.trunc(Duration.fromObject(takeoverAfter).toMillis()))
}

/** The error that parks an activity: what went wrong, in which state type, with its code kept where it has one. */
const explain = (definition: AnyStateDefinition, error: unknown): CarillonError => {
  if (error instanceof CarillonError && error.code === 'activity-reads-clock') return error
  const code =
    error instanceof CarillonError
      ? error.code === 'value-not-encodable'
        ? 'activity-invalid'
        : error.code
      : 'activity-threw'
  const what = error instanceof CarillonError ? 'asked for something that cannot be scheduled' : 'threw'
  return new CarillonError(
    code,
    `nextScheduledActivity of ${definition.type} ${what}: ${messageOf(error)} The state is recorded; its activity is parked until someone retries it.`,
    { type: definition.type },
    error,
  )
}

/** What the app said, for the log and for the views; both from one encoding. */
export type Assessed = { readonly assessment: Assessment; readonly parts: AssessmentParts }

const assessed = (assessment: Assessment): Assessed => ({ assessment, parts: assessmentParts(assessment) })

export const assess = (
  decision: AssessedBy,
  definition: AnyStateDefinition,
  data: unknown,
  ref: StateRef,
): Assessed => {
  const { registry, me } = decision
  const participants = definition.participants(data).map(({ key }) => key)
  const relevant = definition.isRelevant === undefined ? participants.includes(me.key) : definition.isRelevant(data, me)
  const key = definition.key?.(data)
  const base = { relevant, participants, ...(key === undefined ? {} : { key }) }
  if (!relevant || definition.nextScheduledActivity === undefined) return assessed(base)
  const ask = definition.nextScheduledActivity
  try {
    if (decision.development && decision.readsClock(() => ask(data, ref))) {
      throw new CarillonError(
        'activity-reads-clock',
        `nextScheduledActivity of ${definition.type} reads the clock. It must depend on the state alone: put the instant into the state when it is produced. Its activity is parked.`,
        { type: definition.type },
      )
    }
    const answer = ask(data, ref)
    if (isNone(answer)) return assessed(base)
    checkActivity(registry, answer.value)
    const mine = actsAt(definition, data, me, answer.value.at)
    if (mine === undefined) return assessed(base)
    const activity = answer.value
    return assessed(mine === activity.at ? { ...base, activity } : { ...base, activity, actsAt: mine })
  } catch (error) {
    if (concernsNode(error)) throw error
    return assessed({ ...base, failure: recordError(explain(definition, error), 'activity-threw') })
  }
}
