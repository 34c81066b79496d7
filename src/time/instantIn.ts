/**
 * A time of day on a date in a zone, as the instant it means.
 */
import { CarillonError } from '../errors/CarillonError.js'
import { instantFromMillis, type Instant } from './Instant.js'
import { dateMs, timeOfDayMs, type LocalDate, type TimeOfDay } from './LocalTime.js'
import { defaultDstPolicy, instantsOf } from './recurrence/DstPolicy.js'
import type { Zone } from './Zone.js'

/**
 * The instant at which clocks in a zone show a time on a date. Where the clocks jump over it, it is as much later as
 * they jumped; where they show it twice, it is the first time.
 */
export const instantIn = (zone: Zone, date: LocalDate, time: TimeOfDay): Instant => {
  const [ms] = instantsOf(zone, defaultDstPolicy, dateMs(date) + timeOfDayMs(time))
  if (ms === undefined) throw new CarillonError('instant-invalid', `${date} has no ${time} in ${zone}.`)
  return instantFromMillis(ms)
}
