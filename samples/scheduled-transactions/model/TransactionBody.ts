/**
 * A transaction as it is submitted: an id, an operation, and the signatures of whoever must sign it. What is signed is
 * the body under a tag of its own, so that no signature on a schedule is ever one on a transaction, or the reverse.
 */
import { createHash } from 'node:crypto'
import * as t from 'io-ts'
import { canonicalText, IntegerC, JsonC } from 'carillon'
import { record } from '../../shared/record.js'
import { AccountIDC, Int64C, ScheduleIDC, TransactionIDC, type LedgerID } from './ids.js'
import { isSignedBy, KeyTreeC, primitivesOf, type KeyTree } from './KeyTree.js'
import { SignatureMapC, witness, type SignatureMap } from './SignatureMap.js'

const bodyOf = <O>(operation: t.Type<O, unknown>) =>
  record(
    'TransactionBody',
    { transactionID: TransactionIDC, operation },
    {
      /** The most the payer is willing to pay. Default: whatever it costs. */
      transactionFee: IntegerC,
      /** Seconds from the valid start. Default 120. */
      transactionValidDuration: IntegerC,
      memo: t.string,
      /** Limits of custom fees, which no operation here has. */
      maxCustomFees: JsonC,
    },
  )

const signedOf = <O>(operation: t.Type<O, unknown>, name: string) =>
  record(name, { body: bodyOf(operation), sigMap: SignatureMapC })

/** The seed's `ScheduleCreateTransactionBody`, with the fields of its second phase. */
export const ScheduleCreateC = record(
  'ScheduleCreate',
  { kind: t.literal('scheduleCreate') },
  {
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
  },
)
export type ScheduleCreate = t.TypeOf<typeof ScheduleCreateC>

export const ScheduleSignC = record(
  'ScheduleSign',
  { kind: t.literal('scheduleSign') },
  { scheduleID: ScheduleIDC, sigMap: SignatureMapC },
)
export type ScheduleSign = t.TypeOf<typeof ScheduleSignC>

const aboutSchedule = <K extends string>(name: string, kind: K) =>
  record(name, { kind: t.literal(kind) }, { schedule: ScheduleIDC })

export const ScheduleDeleteC = aboutSchedule('ScheduleDelete', 'scheduleDelete')
export type ScheduleDelete = t.TypeOf<typeof ScheduleDeleteC>

export const SignedScheduleCreateC = signedOf(ScheduleCreateC, 'SignedScheduleCreate')
export const SignedScheduleSignC = signedOf(ScheduleSignC, 'SignedScheduleSign')
export const SignedScheduleDeleteC = signedOf(ScheduleDeleteC, 'SignedScheduleDelete')
/** A question that costs something is paid for by a transaction that asks it, and is good for no other. */
export const ScheduleGetInfoC = aboutSchedule('ScheduleGetInfo', 'scheduleGetInfo')
export type ScheduleGetInfo = t.TypeOf<typeof ScheduleGetInfoC>
export const SignedScheduleGetInfoC = signedOf(ScheduleGetInfoC, 'SignedScheduleGetInfo')

/** Any transaction; which operations there are is the app's affair. */
export const SignedTransactionC = signedOf(JsonC, 'SignedTransaction')

/** What was submitted, as the ledger keeps it. */
export const SubmittedC = signedOf(t.unknown, 'Submitted')

export type TransactionBody<O> = t.TypeOf<ReturnType<typeof bodyOf<O>>>
export type SignedTransaction<O> = { readonly body: TransactionBody<O>; readonly sigMap: SignatureMap }

/** What the signers of a transaction sign. */
export const signedTextOf = (ledgerID: LedgerID, body: TransactionBody<unknown>): string =>
  canonicalText({ domain: 'scheduled-transactions/transaction', ledgerID, body })

/** Whether a key has signed a transaction itself. */
export const hasSigned = (
  key: KeyTree,
  { body, sigMap }: SignedTransaction<unknown>,
  { ledgerID }: { readonly ledgerID: LedgerID },
): boolean => isSignedBy(key, witness(sigMap, primitivesOf([key]), signedTextOf(ledgerID, body)).signed)

export const hashOf = (text: string): string => createHash('sha384').update(text).digest('hex')
