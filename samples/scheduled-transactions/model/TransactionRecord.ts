/**
 * What the network tells of a transaction once it has been handled. The execution of a schedule has a record of its
 * own, one nanosecond after its trigger's.
 */
import * as t from 'io-ts'
import { IntegerC, PartyC } from 'carillon'
import { AccountIDC, ScheduleIDC, TopicIDC } from './EntityId.js'
import { ResponseCodeC } from './ResponseCode.js'
import { TimestampC } from './Timestamp.js'
import { TransactionIDC } from './TransactionID.js'

export const ReceiptC = t.readonly(
  t.intersection([
    t.strict({ status: ResponseCodeC }),
    t.exact(
      t.partial({
        /** The schedule; in receipts of creates alone. */
        schedule: ScheduleIDC,
        /** The id under which the execution is or will be recorded. */
        scheduledTransactionID: TransactionIDC,
        accountID: AccountIDC,
        topicID: TopicIDC,
        topicSequenceNumber: IntegerC,
      }),
    ),
  ]),
  'TransactionReceipt',
)
export type TransactionReceipt = t.TypeOf<typeof ReceiptC>

export const AccountAmountC = t.readonly(t.strict({ accountID: AccountIDC, amount: IntegerC }), 'AccountAmount')
export type AccountAmount = t.TypeOf<typeof AccountAmountC>

export const TransactionRecordC = t.readonly(
  t.intersection([
    t.strict({
      receipt: ReceiptC,
      transactionHash: t.string,
      consensusTimestamp: TimestampC,
      transactionID: TransactionIDC,
      memo: t.string,
      transactionFee: IntegerC,
      /** Who has more afterwards, and who less; fees included. */
      transferList: t.readonlyArray(AccountAmountC),
    }),
    t.exact(
      t.partial({
        /** The schedule whose execution this is. */
        scheduleRef: ScheduleIDC,
        /** The record that set this one going. */
        parentConsensusTimestamp: TimestampC,
        /** What the called flow said when it failed. */
        error: t.string,
      }),
    ),
  ]),
  'TransactionRecord',
)
export type TransactionRecord = t.TypeOf<typeof TransactionRecordC>

/** A record on the ledger. */
export const RecordC = t.readonly(t.strict({ operator: PartyC, id: t.string, record: TransactionRecordC }), 'Record')

/** What whoever submits a transaction is told. */
export type Response = {
  readonly status: TransactionReceipt['status']
  /** False when the precheck refused it: nothing was charged and there is no record. */
  readonly handled: boolean
  readonly receipt?: TransactionReceipt
  readonly record?: TransactionRecord
  /** The record of the execution that this transaction triggered. */
  readonly execution?: TransactionRecord
}
