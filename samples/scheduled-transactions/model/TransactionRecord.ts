/**
 * What the network tells of a transaction once it has been handled. The execution of a schedule has a record of its
 * own, one nanosecond after its trigger's.
 */
import * as t from 'io-ts'
import { IntegerC, PartyC } from 'carillon'
import { record } from '../../shared/record.js'
import { AccountIDC, ScheduleIDC, TimestampC, TopicIDC, TransactionIDC } from './ids.js'
import { ResponseCodeC } from './ResponseCode.js'

export const ReceiptC = record(
  'TransactionReceipt',
  { status: ResponseCodeC },
  {
    /** The schedule; in receipts of creates alone. */
    schedule: ScheduleIDC,
    /** The id under which the execution is or will be recorded. */
    scheduledTransactionID: TransactionIDC,
    accountID: AccountIDC,
    topicID: TopicIDC,
    topicSequenceNumber: IntegerC,
  },
)
export type TransactionReceipt = t.TypeOf<typeof ReceiptC>

export const AccountAmountC = record('AccountAmount', { accountID: AccountIDC, amount: IntegerC })
export type AccountAmount = t.TypeOf<typeof AccountAmountC>

export const TransactionRecordC = record(
  'TransactionRecord',
  {
    receipt: ReceiptC,
    transactionHash: t.string,
    consensusTimestamp: TimestampC,
    transactionID: TransactionIDC,
    memo: t.string,
    transactionFee: IntegerC,
    /** Who has more afterwards, and who less; fees included. */
    transferList: t.readonlyArray(AccountAmountC),
  },
  {
    /** The schedule whose execution this is. */
    scheduleRef: ScheduleIDC,
    /** The record that set this one going. */
    parentConsensusTimestamp: TimestampC,
    /** What the called flow said when it failed. */
    error: t.string,
  },
)
export type TransactionRecord = t.TypeOf<typeof TransactionRecordC>

/** A record on the ledger. */
export const RecordC = record('Record', { operator: PartyC, id: t.string, record: TransactionRecordC })

/** What whoever submits a transaction is told. */
export const ResponseC = record(
  'Response',
  {
    status: ResponseCodeC,
    /** False when the precheck refused it: nothing was charged and there is no record. */
    handled: t.boolean,
  },
  {
    receipt: ReceiptC,
    record: TransactionRecordC,
    /** The record of the execution that this transaction triggered. */
    execution: TransactionRecordC,
  },
)
export type Response = t.TypeOf<typeof ResponseC>
