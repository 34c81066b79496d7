/**
 * What accounts, topics, schedules and transactions are known by, and consensus time: seconds and nanoseconds
 * since 1970, finer than the ledger's instants, so that every transaction of a millisecond has a time of its own.
 */
import * as t from 'io-ts'
import { instantFromMillis, IntegerC, toMillis, type Instant } from 'carillon'
import { record } from '../../shared/record.js'

const pattern = /^0\.0\.(0|[1-9]\d{0,14})$/

const entityId = (name: string): t.Type<string> => t.refinement(t.string, (text) => pattern.test(text), name)

export const AccountIDC = entityId('AccountID')
export type AccountID = string
export const TopicIDC = entityId('TopicID')
export type TopicID = string
export const ScheduleIDC = entityId('ScheduleID')
export type ScheduleID = string

/** A network, told from all others. It is part of whatever is signed, so that a signature is good on one of them. */
export const LedgerIDC = t.refinement(t.string, (text) => /^[0-9a-f]{64}$/.test(text), 'LedgerID')
export type LedgerID = t.TypeOf<typeof LedgerIDC>

export const entityOf = (number: number): string => `0.0.${number}`
export const numberOf = (id: string): number => Number(id.slice('0.0.'.length))

const largest = 2n ** 63n - 1n
const digits = /^-?(0|[1-9]\d{0,18})$/

const isInt64 = (text: string): boolean => {
  if (!digits.test(text)) return false
  const value = BigInt(text)
  return value <= largest && value >= -largest - 1n
}

/**
 * A whole number of 64 bits, as wide as the seed's network has it: a number as far as those are exact, or else its
 * digits as text, which is how such numbers are written in JSON.
 */
export const Int64C = t.union([IntegerC, t.refinement(t.string, isInt64, 'Digits')], 'Int64')

const nanosPerSecond = 1_000_000_000
const nanosPerMilli = 1_000_000

const NanosC = t.refinement(IntegerC, (nanos) => nanos >= 0 && nanos < nanosPerSecond, 'Nanos')

/** Seconds and nanoseconds since 1970. */
export const TimestampC = record('Timestamp', { seconds: IntegerC, nanos: NanosC })
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

export const NonceC = t.refinement(IntegerC, (nonce) => nonce >= 0, 'Nonce')

/**
 * Who pays for a transaction and when it begins to be valid. The execution of a schedule inherits both from the create
 * and is told apart by its flag and its nonce.
 */
export const TransactionIDC = record(
  'TransactionID',
  { accountID: AccountIDC, transactionValidStart: TimestampC },
  // Set by the network alone, on the execution of a schedule.
  { scheduled: t.boolean, nonce: NonceC },
)
export type TransactionID = t.TypeOf<typeof TransactionIDC>

/** `0.0.1001@1767225600.000000000`, and for an execution `?scheduled` and its nonce if it has one. */
export const showTransactionID = ({ accountID, transactionValidStart, scheduled, nonce }: TransactionID): string =>
  `${accountID}@${showTimestamp(transactionValidStart)}${scheduled === true ? '?scheduled' : ''}${nonce === undefined || nonce === 0 ? '' : `/${nonce}`}`

const written = /^(0\.0\.\d{1,15})@(\d{1,15})\.(\d{9})(\?scheduled)?(?:\/(\d{1,15}))?$/

/** Reads what {@link showTransactionID} writes. */
export const parseTransactionID = (text: string): TransactionID | undefined => {
  const [, accountID, seconds, nanos, scheduled, nonce] = written.exec(text) ?? []
  if (accountID === undefined || seconds === undefined || nanos === undefined) return undefined
  return {
    accountID,
    transactionValidStart: { seconds: Number(seconds), nanos: Number(nanos) },
    ...(scheduled === undefined ? {} : { scheduled: true }),
    ...(nonce === undefined ? {} : { nonce: Number(nonce) }),
  }
}

/** The id under which the execution of a schedule is recorded; what was scheduled already counts its nonce up. */
export const scheduledIDOf = (create: TransactionID, nonce = 0): TransactionID => ({
  accountID: create.accountID,
  transactionValidStart: create.transactionValidStart,
  scheduled: true,
  nonce: create.scheduled === true ? (create.nonce ?? 0) + 1 : nonce,
})

/** The id of what an execution sets going and that ends later, such as a flow it calls. */
export const childIDOf = (id: TransactionID): TransactionID => ({ ...id, nonce: (id.nonce ?? 0) + 1 })
