/**
 * How long a flow waits at most. Whoever gives a time gets an `Option`: none when it has passed and nothing has come.
 */
import { fromNullable, type Option } from 'fp-ts/lib/Option.js'
import { Duration, type DurationLikeObject } from 'luxon'
import { CarillonError, messageOf } from '../errors/CarillonError.js'

/** How long to wait at most, counted from when the flow first asks. Zero only looks. */
export type Within = { readonly within: DurationLikeObject }

/** To wait for as long as it takes. */
export type Unbounded = { readonly within?: undefined }

const millisOf = (within: DurationLikeObject): number => {
  try {
    return Math.trunc(Duration.fromObject(within).toMillis())
  } catch (error) {
    throw new CarillonError('wait-invalid', `How long to wait is not a duration: ${messageOf(error)}.`, {}, error)
  }
}

/** Either of them. */
export type Timing = { readonly within?: DurationLikeObject | undefined }

/** In milliseconds; undefined to wait for as long as it takes. */
export const withinMsOf = ({ within }: Timing = {}): number | undefined => {
  if (within === undefined) return undefined
  const ms = millisOf(within)
  if (Number.isSafeInteger(ms) && ms >= 0) return ms
  throw new CarillonError(
    'wait-invalid',
    `A flow cannot wait ${String(ms)} ms. Give a duration of zero or more, such as within: { days: 3 }.`,
    { withinMs: String(ms) },
  )
}

/** What came, as whoever asked gets it: an option where it was given a time. */
export const answerWithin = <A>(
  { within }: Timing = {},
  answer: A | undefined,
): A | undefined | Option<NonNullable<A>> => (within === undefined ? answer : fromNullable(answer))
