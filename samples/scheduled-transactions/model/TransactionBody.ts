/**
 * A transaction as it is submitted: an id, an operation, and the signatures of whoever must sign it. What is signed is
 * the body under a tag of its own, so that no signature on a schedule is ever one on a transaction, or the reverse.
 */
import { createHash } from 'node:crypto'
import * as t from 'io-ts'
import { canonicalText, IntegerC, JsonC, type Json } from 'carillon'
import { AccountIDC, ScheduleIDC, type LedgerID } from './EntityId.js'
import { Int64C } from './Int64.js'
import { KeyTreeC } from './KeyTree.js'
import { SignatureMapC, type SignatureMap } from './SignatureMap.js'
import { TransactionIDC, type TransactionID } from './TransactionID.js'

const bodyOf = <O>(operation: t.Type<O, unknown>) =>
  t.readonly(
    t.intersection([
      t.strict({ transactionID: TransactionIDC, operation }),
      t.exact(
        t.partial({
          /** The most the payer is willing to pay. Default: whatever it costs. */
          transactionFee: IntegerC,
          /** Seconds from the valid start. Default 120. */
          transactionValidDuration: IntegerC,
          memo: t.string,
          /** Limits of custom fees, which no operation here has. */
          maxCustomFees: JsonC,
        }),
      ),
    ]),
  )

const signedOf = <O>(operation: t.Type<O, unknown>, name: string) =>
  t.readonly(t.strict({ body: bodyOf(operation), sigMap: SignatureMapC }), name)

/** The seed's `ScheduleCreateTransactionBody`, with the fields of its second phase. */
export const ScheduleCreateC = t.readonly(
  t.intersection([
    t.strict({ kind: t.literal('scheduleCreate') }),
    t.exact(
      t.partial({
        /** The transaction to schedule, as text. */
        transactionBody: t.string,
        adminKey: KeyTreeC,
        payer: AccountIDC,
        memo: t.string,
        /** Signatures over the schedule. Policy `merge` alone. */
        sigMap: SignatureMapC,
        /** In seconds since 1970. Default: a while after the create. */
        expirationTime: Int64C,
        waitForExpiry: t.boolean,
      }),
    ),
  ]),
  'ScheduleCreate',
)
export type ScheduleCreate = t.TypeOf<typeof ScheduleCreateC>

export const ScheduleSignC = t.readonly(
  t.intersection([
    t.strict({ kind: t.literal('scheduleSign') }),
    t.exact(t.partial({ scheduleID: ScheduleIDC, sigMap: SignatureMapC })),
  ]),
  'ScheduleSign',
)
export type ScheduleSign = t.TypeOf<typeof ScheduleSignC>

export const ScheduleDeleteC = t.readonly(
  t.intersection([t.strict({ kind: t.literal('scheduleDelete') }), t.exact(t.partial({ schedule: ScheduleIDC }))]),
  'ScheduleDelete',
)
export type ScheduleDelete = t.TypeOf<typeof ScheduleDeleteC>

export const SignedScheduleCreateC = signedOf(ScheduleCreateC, 'SignedScheduleCreate')
export const SignedScheduleSignC = signedOf(ScheduleSignC, 'SignedScheduleSign')
export const SignedScheduleDeleteC = signedOf(ScheduleDeleteC, 'SignedScheduleDelete')
/** A question that costs something is paid for by a transaction that asks it, and is good for no other. */
export const ScheduleGetInfoC = t.readonly(
  t.intersection([t.strict({ kind: t.literal('scheduleGetInfo') }), t.exact(t.partial({ schedule: ScheduleIDC }))]),
  'ScheduleGetInfo',
)
export type ScheduleGetInfo = t.TypeOf<typeof ScheduleGetInfoC>
export const SignedScheduleGetInfoC = signedOf(ScheduleGetInfoC, 'SignedScheduleGetInfo')

/** Any transaction; which operations there are is the app's affair. */
export const SignedTransactionC = signedOf(JsonC, 'SignedTransaction')

/** What was submitted, as the ledger keeps it. */
export const SubmittedC = signedOf(t.unknown, 'Submitted')

export type TransactionBody<O> = {
  readonly transactionID: TransactionID
  readonly operation: O
  readonly transactionFee?: number
  readonly transactionValidDuration?: number
  readonly memo?: string
  readonly maxCustomFees?: Json
}
export type SignedTransaction<O> = { readonly body: TransactionBody<O>; readonly sigMap: SignatureMap }

/** What the signers of a transaction sign. */
export const signedTextOf = (ledgerID: LedgerID, body: TransactionBody<unknown>): string =>
  canonicalText({ domain: 'scheduled-transactions/transaction', ledgerID, body })

export const hashOf = (text: string): string => createHash('sha384').update(text).digest('hex')
