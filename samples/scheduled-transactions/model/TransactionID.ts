/**
 * What a transaction is known by: who pays for it and when it begins to be valid. The execution of a schedule inherits
 * both from the create and is told apart by its flag and its nonce.
 */
import * as t from 'io-ts'
import { IntegerC } from 'carillon'
import { AccountIDC, type AccountID } from './EntityId.js'
import { showTimestamp, TimestampC, type Timestamp } from './Timestamp.js'

export const NonceC = t.refinement(IntegerC, (nonce) => nonce >= 0, 'Nonce')

export const TransactionIDC = t.readonly(
  t.intersection([
    t.strict({ accountID: AccountIDC, transactionValidStart: TimestampC }),
    t.exact(t.partial({ scheduled: t.boolean, nonce: NonceC })),
  ]),
  'TransactionID',
)
export type TransactionID = {
  readonly accountID: AccountID
  readonly transactionValidStart: Timestamp
  /** Set by the network alone, on the execution of a schedule. */
  readonly scheduled?: boolean
  readonly nonce?: number
}

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
