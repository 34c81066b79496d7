/**
 * The rates that the oracle of the sample announces: three-month ICE LIBOR around the days on which quarters begin,
 * a little higher each time. They are made up; what matters is that every fixing of the example trade finds one.
 */
import { localDate, tenor } from 'carillon/calendars'
import type { Fix } from '../oracle/Fix.js'
import { Exact, rate } from '../money/Rate.js'

const first = new Exact('0.0063516')
const step = new Exact('0.0000001')

const days = Array.from({ length: 11 }, (_, index) => 2016 + index)
  .flatMap((year) => ['03', '06', '09', '12'].map((month) => `${year}-${month}`))
  .flatMap((month) => ['06', '07', '08', '09', '10'].map((day) => `${month}-${day}`))
  .filter((day) => day !== '2016-03-06')

export const exampleRates: readonly Fix[] = days.map((day, line) => ({
  of: { index: 'ICE LIBOR', day: localDate(day), tenor: tenor('3M') },
  rate: rate(first.plus(step.times(line))),
}))
