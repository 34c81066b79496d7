/**
 * What a recurrence leaves out, as time to step over: an excluded day is left at its end, and a run of excluded days at
 * the end of the last, so the cost depends on the days and not on how many occurrences lie in them.
 */
import { toMillis } from '../Instant.js'
import { dateOf, dayMs } from '../LocalTime.js'
import { offsetMs, type Zone } from '../Zone.js'
import type { Exclusions } from './Recurrence.js'
import type { Exclusion, Look } from './Sequence.js'

/** Towards the end of a day, or towards its beginning. */
type Direction = 1 | -1

/** The moment that lies furthest from another, in one direction, on the same local day and under the same offset. */
const edgeOfDay = (zone: Zone, ms: number, direction: Direction): number => {
  const offset = offsetMs(zone, ms)
  const dayStart = Math.floor((ms + offset) / dayMs) * dayMs - offset
  const edge = direction === 1 ? dayStart + dayMs - 1 : dayStart
  if (offsetMs(zone, edge) === offset) return edge
  // The clocks change in between: no further than to their change, after which it may be another day.
  let [same, other] = [ms, edge]
  while (Math.abs(other - same) > 1) {
    const middle = same + Math.trunc((other - same) / 2)
    if (offsetMs(zone, middle) === offset) same = middle
    else other = middle
  }
  return same
}

export const exclusionOf = ({ instants = [], days }: Exclusions): Exclusion => {
  const excludedInstants = new Set(instants.map(toMillis))
  const excludedDates = new Set<string>(days?.dates ?? [])
  const edge =
    (direction: Direction): Look =>
    (ms, budget) => {
      let edgeMs = excludedInstants.has(ms) ? ms : undefined
      if (days === undefined) return edgeMs
      for (let at = ms; excludedDates.has(dateOf(at + offsetMs(days.zone, at))); at = edgeMs + direction) {
        budget.spend(1)
        edgeMs = edgeOfDay(days.zone, at, direction)
      }
      return edgeMs
    }
  return { lastFrom: edge(1), firstTo: edge(-1) }
}
