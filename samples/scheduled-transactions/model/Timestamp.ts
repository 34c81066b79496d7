/**
 * Consensus time: seconds and nanoseconds since 1970. Finer than the ledger's instants, so that every transaction of
 * a millisecond has a time of its own.
 */
import * as t from 'io-ts'
import { instantFromMillis, IntegerC, toMillis, type Instant } from 'carillon'

const nanosPerSecond = 1_000_000_000
const nanosPerMilli = 1_000_000

const NanosC = t.refinement(IntegerC, (nanos) => nanos >= 0 && nanos < nanosPerSecond, 'Nanos')

export const TimestampC = t.readonly(t.strict({ seconds: IntegerC, nanos: NanosC }), 'Timestamp')
export type Timestamp = t.TypeOf<typeof TimestampC>

export const timestampOf = (instant: Instant): Timestamp => {
  const millis = toMillis(instant)
  const seconds = Math.floor(millis / 1_000)
  return { seconds, nanos: (millis - seconds * 1_000) * nanosPerMilli }
}

/** The instant at which a second begins. */
export const instantOfSecond = (seconds: number): Instant => instantFromMillis(seconds * 1_000)

/** One nanosecond later. */
export const nextNano = ({ seconds, nanos }: Timestamp): Timestamp =>
  nanos + 1 === nanosPerSecond ? { seconds: seconds + 1, nanos: 0 } : { seconds, nanos: nanos + 1 }

/** Negative when the first is earlier, positive when it is later, zero when they are the same. */
export const compare = (a: Timestamp, b: Timestamp): number => a.seconds - b.seconds || a.nanos - b.nanos

export const latest = (a: Timestamp, b: Timestamp): Timestamp => (compare(a, b) >= 0 ? a : b)

/** As the seed's network writes it: `1767225600.000000001`. */
export const showTimestamp = ({ seconds, nanos }: Timestamp): string => `${seconds}.${String(nanos).padStart(9, '0')}`
