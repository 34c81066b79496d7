/**
 * A scheduled transaction. While it is pending it never changes: signatures are kept beside it, so that its place in
 * the order of expiry is its place in the order of creation. When it ends it becomes history.
 */
import * as t from 'io-ts'
import { IntegerC, PartyC, PublicKeyC } from 'carillon'
import { record } from '../../shared/record.js'
import { AccountIDC, ScheduleIDC, TimestampC, TransactionIDC } from './ids.js'
import { KeyTreeC } from './KeyTree.js'
import { NeedsC } from './Account.js'
import { ResponseCodeC } from './ResponseCode.js'

const scheduleFields = {
  operator: PartyC,
  schedule: ScheduleIDC,
  creatorAccountID: AccountIDC,
  payerAccountID: AccountIDC,
  /** The transaction, as it was given. */
  transactionBody: t.string,
  /** The kind of its operation, and whose signatures that needs. */
  kind: t.string,
  needs: NeedsC,
  adminKey: t.union([KeyTreeC, t.null]),
  memo: t.string,
  /** The second in which it expires, and whether the creator chose it. */
  expirationTime: IntegerC,
  expirationGiven: t.boolean,
  waitForExpiry: t.boolean,
  /** The id of the create. */
  transactionID: TransactionIDC,
  /** The id under which the execution is recorded. */
  scheduledTransactionID: TransactionIDC,
  created: TimestampC,
  identityHash: t.string,
} as const

export const ScheduleC = record('Schedule', scheduleFields)
export type Schedule = t.TypeOf<typeof ScheduleC>

/** The primitive keys that have signed so far, in the order in which they did. */
export const SignatoriesC = record('Signatories', {
  operator: PartyC,
  schedule: ScheduleIDC,
  keys: t.readonlyArray(PublicKeyC),
})
export type Signatories = t.TypeOf<typeof SignatoriesC>

/** How a schedule ended, and when. */
export const EndC = record('End', {
  as: t.keyof({ executed: null, deleted: null, expired: null }),
  at: TimestampC,
  /** What the execution came to; null when there was none. */
  result: t.union([ResponseCodeC, t.null]),
})
export type End = t.TypeOf<typeof EndC>

export const PastScheduleC = record('PastSchedule', {
  ...scheduleFields,
  signers: t.readonlyArray(PublicKeyC),
  end: EndC,
  /** Until this second get info still shows it and an identical create still meets it; null: no longer. */
  keptUntil: t.union([IntegerC, t.null]),
})
export type PastSchedule = t.TypeOf<typeof PastScheduleC>

export const isPast = (schedule: Schedule | PastSchedule): schedule is PastSchedule => 'end' in schedule

/** What falls due in one second, by kind of operation: its cost follows from today's prices. */
export const ExpirySecondC = record('ExpirySecond', {
  operator: PartyC,
  second: IntegerC,
  booked: t.readonly(t.record(t.string, IntegerC)),
})
export type ExpirySecond = t.TypeOf<typeof ExpirySecondC>

/** A flow that an execution has called and that has not ended yet. */
export const CallC = record('Call', {
  operator: PartyC,
  schedule: ScheduleIDC,
  flow: t.string,
  input: t.unknown,
  calledAt: TimestampC,
  transactionID: TransactionIDC,
})
export type Call = t.TypeOf<typeof CallC>
