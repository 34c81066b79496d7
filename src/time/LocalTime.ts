/**
 * Wall-clock time without a zone, as people write it: `2026-03-29`, `09:30:00`, `2026-03-29T09:30:00`. Inside, a
 * local time is counted in milliseconds as if it were UTC, so that local times compare and add like numbers.
 */
import * as t from 'io-ts'
import { CarillonError } from '../errors/CarillonError.js'
import { monthLength } from './monthLength.js'

const datePattern = /^\d{4}-\d\d-\d\d$/
const timePattern = /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/
const dateTimePattern = /^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/

/** Read digit by digit: schedules hold dates by the hundred. */
const exists = (date: string): boolean => {
  const number = (from: number): number => (date.charCodeAt(from) - 48) * 10 + (date.charCodeAt(from + 1) - 48)
  const day = number(8)
  const longest = monthLength(number(0) * 100 + number(2), number(5))
  return longest !== undefined && day >= 1 && day <= longest
}

/** A day that there is. */
export interface LocalDateBrand {
  readonly LocalDate: unique symbol
}
/** A day of the calendar, such as `2026-03-29`. */
export const LocalDateC = t.brand(
  t.string,
  (text): text is t.Branded<string, LocalDateBrand> => datePattern.test(text) && exists(text),
  'LocalDate',
)
/** A day of the calendar, without a zone. */
export type LocalDate = t.TypeOf<typeof LocalDateC>

/** A time of day that there is. */
export interface TimeOfDayBrand {
  readonly TimeOfDay: unique symbol
}
/** A time of day, such as `09:30` or `09:30:15`. */
export const TimeOfDayC = t.brand(
  t.string,
  (text): text is t.Branded<string, TimeOfDayBrand> => timePattern.test(text),
  'TimeOfDay',
)
/** A time of day, without a zone. */
export type TimeOfDay = t.TypeOf<typeof TimeOfDayC>

/** A date and a time of day that there are. */
export interface LocalTimeBrand {
  readonly LocalTime: unique symbol
}
/** A day and a time of day, such as `2026-03-29T09:30:00`. */
export const LocalTimeC = t.brand(
  t.string,
  (text): text is t.Branded<string, LocalTimeBrand> => dateTimePattern.test(text) && exists(text.slice(0, 10)),
  'LocalTime',
)
/** A day and a time of day, without a zone. */
export type LocalTime = t.TypeOf<typeof LocalTimeC>

const read =
  <A>(codec: t.Type<A, unknown>, example: string) =>
  (text: string): A => {
    if (codec.is(text)) return text
    throw new CarillonError('recurrence-invalid', `"${text}" is not a ${codec.name}. Write it as ${example}.`, { text })
  }

/** A day of the calendar from text, or `recurrence-invalid`. */
export const localDate = read(LocalDateC, '2026-03-29')
/** A time of day from text, or `recurrence-invalid`. */
export const timeOfDay = read(TimeOfDayC, '09:30 or 09:30:15')
/** A day and a time of day from text, or `recurrence-invalid`. */
export const localTime = read(LocalTimeC, '2026-03-29T09:30:00')

export const dayMs = 86_400_000

/** The day in which a local time lies. */
export const dateOf = (localMs: number): LocalDate => new Date(localMs).toISOString().slice(0, 10) as LocalDate

/** The beginning of a day. */
export const dateMs = (date: LocalDate): number => Date.parse(`${date}T00:00:00Z`)

export const localMs = (time: LocalTime): number => Date.parse(`${time}Z`)

/** Milliseconds from the beginning of the day. */
export const timeOfDayMs = (time: TimeOfDay): number => Date.parse(`1970-01-01T${time}Z`)
