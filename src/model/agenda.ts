/**
 * What waits for its time, in order: activities, flows, and occurrences that a start of the node attempts again. The
 * order is total and follows from the log alone, so every replay takes the same turns.
 */
import { instantFromMillis, type Instant } from '../time/Instant.js'
import type { Model } from './Model.js'
import { mayGoOn, type ModelFlow } from './ModelFlow.js'
import type { ModelState } from './ModelState.js'

/** Earlier first; what has no instant comes last. */
const byInstant = (a: Instant | undefined, b: Instant | undefined): number => {
  if (a === b) return 0
  return b === undefined || (a !== undefined && a < b) ? -1 : 1
}

/** The order of the agenda: when the node acts, then log order, then output index. */
export const agendaOrder = (a: ModelState, b: ModelState): number =>
  byInstant(a.activity.actsAt, b.activity.actsAt) || a.place - b.place

/** The order of new attempts after a start: due instant, then log order, then output index. */
export const occurrenceOrder = (a: ModelState, b: ModelState): number =>
  byInstant(a.activity.asked?.at, b.activity.asked?.at) || a.place - b.place

/** The order of flows that may go on: since when, then the order in which they were started. */
const wakeOrder = (a: ModelFlow, b: ModelFlow): number => byInstant(a.wakeAt, b.wakeAt) || a.place - b.place

/** All activities that are to come, in order. */
export const agendaOf = ({ states }: Model): readonly ModelState[] =>
  [...states.values()].filter(({ activity }) => activity.actsAt !== undefined).sort(agendaOrder)

/** Whether an activity is due: due means at or before now. */
export const isDue = ({ activity: { actsAt } }: ModelState, at: Instant): boolean =>
  actsAt !== undefined && actsAt <= at

/** The activities that are due, in order. */
export const dueAt = (model: Model, at: Instant): readonly ModelState[] =>
  agendaOf(model).filter((state) => isDue(state, at))

/**
 * The flows that may go on, in order. Last come those that are ready since a time of the clock from which it was set back:
 * they do not wait until it is there again.
 */
export const wakesAt = ({ flows }: Model, at: Instant): readonly ModelFlow[] =>
  [...flows.values()]
    .filter((flow) => flow.wakeAt !== undefined && (flow.wakeAt <= at || mayGoOn(flow)))
    .sort(wakeOrder)

/** Whether a start of the node may attempt an occurrence again: overdue, and its flow ended before that start. */
export const mayReopen = ({ node }: Model, { activity }: ModelState, at: Instant): boolean =>
  activity.standing === 'ended' &&
  (activity.endedRevision ?? Infinity) < (node.startRevision ?? -1) &&
  activity.asked !== undefined &&
  activity.asked.at <= at

/** The occurrences that the last start must attempt again, in order: those that were overdue when it could first do so. */
export const reopensAt = (model: Model, at: Instant): readonly ModelState[] => {
  const since = model.node.reopensSince
  if (since === undefined || model.node.draining) return []
  const until = since < at ? since : at
  return [...model.states.values()].filter((state) => mayReopen(model, state, until)).sort(occurrenceOrder)
}

/** The instant of what waits for none. */
const atOnce = instantFromMillis(0)

/** When the node must act next, if nothing else happens: for a flow, or for an activity unless it drains. */
export const nextInstantOf = (model: Model): Instant | undefined => {
  const wakes = [...model.flows.values()].flatMap((flow) => (mayGoOn(flow) ? atOnce : (flow.wakeAt ?? [])))
  const acts = model.node.draining ? [] : agendaOf(model).flatMap(({ activity }) => activity.actsAt ?? [])
  return [...wakes, ...acts].sort()[0]
}
