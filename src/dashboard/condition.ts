/**
 * How a node is, as every view says it: how much needs attention, and whatever else keeps it from being well.
 */
import type { AgendaEntry, Live } from '../http/answers.js'
import { count, distance } from './words.js'

/** Everything that waits for an operator: activities, flows and steps, each once. */
export const attentionCount = ({ activities, flows, hangingSteps }: Live): number =>
  activities.parked +
  activities.missed +
  activities.failed +
  activities.unconsumed +
  flows.parked +
  flows.superseded +
  hangingSteps

/** A start takes a moment; what waits longer is overdue. */
const overdueMs = 5_000

const counted = (n: number, one: string, more: string): string => `${count(n)} ${n === 1 ? one : more}`

/** What keeps the node from being well, beside what needs attention; the next entry of the agenda is the oldest that is due. */
export const hindrances = (live: Live, next: AgendaEntry | undefined, nowMs: number): readonly string[] => {
  const dueAt = next?.actsAt ?? next?.due
  const { activities, flows } = live
  return [
    ...(live.stopped ? ['The node has stopped.'] : []),
    ...(live.trouble === undefined ? [] : [`Nothing can be recorded: ${live.trouble.message}`]),
    ...(live.draining ? ['The node drains: nothing new is started until draining ends.'] : []),
    ...(dueAt !== undefined && nowMs - Date.parse(dueAt) > overdueMs
      ? [`Work is overdue: the oldest was due ${distance(dueAt, nowMs)}.`]
      : []),
    ...(activities.paused === 0 ? [] : [`${counted(activities.paused, 'activity is', 'activities are')} paused.`]),
    ...(flows.paused === 0 ? [] : [`${counted(flows.paused, 'flow is', 'flows are')} paused.`]),
  ]
}
