/**
 * A point in time: UTC, millisecond precision, years 0000 to 9999, written as `2026-01-31T09:00:00.000Z`.
 * Every instant has exactly one spelling, so instants compare, sort and hash as the text they are.
 */
import { DateTime, type DurationLikeObject } from 'luxon'
import * as t from 'io-ts'
import { expecting } from '../encoding/expecting.js'
import { CarillonError } from '../errors/CarillonError.js'
import { instantMillis, instantText } from './instantText.js'
import { monthLength } from './monthLength.js'

/** UTC, with milliseconds, in its canonical form. */
export interface InstantBrand {
  readonly Instant: unique symbol
}

const canonicalPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const acceptedPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z$/

const earliestMs = Date.parse('0000-01-01T00:00:00.000Z')
/** 9999-12-31T23:59:59.999Z, the last instant there is room for. */
export const latestInstantMs = Date.parse('9999-12-31T23:59:59.999Z')

/** Checked digit by digit: instants are checked at every boundary. */
const isCanonical = (text: string): text is t.Branded<string, InstantBrand> => {
  if (!canonicalPattern.test(text)) return false
  const number = (from: number): number => (text.charCodeAt(from) - 48) * 10 + (text.charCodeAt(from + 1) - 48)
  const day = number(8)
  const longest = monthLength(number(0) * 100 + number(2), number(5))
  return longest !== undefined && day >= 1 && day <= longest && number(11) < 24 && number(14) < 60 && number(17) < 60
}

/** Codec of an instant in a state, a flow input or an event. */
export const InstantC = expecting(
  'Instant, such as 2026-01-31T09:00:00.000Z',
  t.brand(t.string, isCanonical, 'Instant'),
)
/** A point in time, as text: `2026-01-31T09:00:00.000Z`. Make one with {@link instant}; compare two with `<`. */
export type Instant = t.TypeOf<typeof InstantC>

const refuse = (text: string, why: string): never => {
  throw new CarillonError(
    'instant-invalid',
    `"${text}" is not a UTC instant: ${why}. Write it as 2026-01-31T09:00:00.000Z; convert local times with a zone before they reach the ledger.`,
    { text },
  )
}

/** An instant from epoch milliseconds. Fractions are refused, because rounding them is the caller's decision. */
export const instantFromMillis = (ms: number): Instant => {
  if (!Number.isInteger(ms) || ms < earliestMs || ms > latestInstantMs)
    return refuse(String(ms), 'it must be whole milliseconds between the years 0000 and 9999')
  return instantText(ms) as Instant
}

/** An instant from text (seconds and milliseconds may be left out) or from a luxon DateTime in any zone. */
export const instant = (value: string | DateTime): Instant => {
  if (typeof value !== 'string') {
    if (!value.isValid) return refuse(String(value), value.invalidExplanation ?? 'the DateTime is invalid')
    return instantFromMillis(value.toMillis())
  }
  if (isCanonical(value)) return value
  if (!acceptedPattern.test(value))
    return refuse(value, value.endsWith('Z') ? 'the form is wrong' : 'it does not end in Z')
  const padded =
    value.length === 17
      ? `${value.slice(0, 16)}:00.000Z`
      : value.length === 20
        ? `${value.slice(0, 19)}.000Z`
        : `${value.slice(0, -1).padEnd(23, '0')}Z`
  return isCanonical(padded) ? padded : refuse(value, 'there is no such day or time')
}

/** The instant as epoch milliseconds. */
export const toMillis = (at: Instant): number => instantMillis(at)

/** The instant as a luxon DateTime in UTC, for calendar arithmetic and zones. */
export const toDateTime = (at: Instant): DateTime => DateTime.fromMillis(toMillis(at), { zone: 'utc' })

const fixedUnits: Readonly<Record<string, number>> = {
  milliseconds: 1,
  seconds: 1_000,
  minutes: 60_000,
  hours: 3_600_000,
  // In UTC every day is as long as any other.
  days: 86_400_000,
  weeks: 604_800_000,
}

/** The length of a duration whose units have one; undefined when it speaks of months, quarters or years. */
const fixedMillis = (duration: DurationLikeObject): number | undefined => {
  let sum = 0
  for (const [unit, count] of Object.entries(duration)) {
    const length = fixedUnits[unit]
    if (length === undefined || typeof count !== 'number') return undefined
    sum += length * count
  }
  return sum
}

/** An instant moved by a duration; months and years count on the UTC calendar, fractions of a millisecond are cut off. */
export const plus = (at: Instant, duration: DurationLikeObject): Instant => {
  const fixed = fixedMillis(duration)
  return instantFromMillis(
    Math.trunc(fixed === undefined ? toDateTime(at).plus(duration).toMillis() : toMillis(at) + fixed),
  )
}

/** Milliseconds from one instant to a later one; negative when `later` is the earlier. */
export const millisBetween = (earlier: Instant, later: Instant): number => toMillis(later) - toMillis(earlier)
