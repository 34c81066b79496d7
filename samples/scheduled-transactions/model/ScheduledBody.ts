/**
 * A transaction that is to be scheduled, as text. Nobody fills in its id but for the nonce: the rest is inherited from
 * the create when it is executed.
 */
import * as t from 'io-ts'
import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { canonicalText, IntegerC, JsonC, type Json } from 'carillon'
import { NonceC } from './TransactionID.js'

const ScheduledBodyC = t.exact(
  t.partial({
    transactionID: t.exact(
      t.partial({ nonce: NonceC, accountID: JsonC, transactionValidStart: JsonC, scheduled: JsonC }),
    ),
    memo: t.string,
    transactionFee: IntegerC,
    maxCustomFees: JsonC,
    operation: t.intersection([t.type({ kind: t.string }), t.record(t.string, JsonC)]),
  }),
)

export type ScheduledBody = {
  readonly nonce: number | undefined
  /** True when it fills in what only the network may. */
  readonly namesItself: boolean
  readonly memo: string
  readonly transactionFee: number | undefined
  /** True when it limits custom fees, which no operation here has. */
  readonly limitsCustomFees: boolean
  readonly operation: ({ readonly kind: string } & Readonly<Record<string, Json>>) | undefined
}

const parseJson = (text: string): Either<unknown, unknown> => {
  try {
    const value: unknown = JSON.parse(text)
    return right(value)
  } catch (error) {
    return left(error)
  }
}

/** Reads the text; the reason why not is of no use to anybody. */
export const parseBody = (text: string): ScheduledBody | undefined => {
  const json = parseJson(text)
  if (isLeft(json)) return undefined
  const decoded = ScheduledBodyC.decode(json.right)
  if (isLeft(decoded)) return undefined
  const { transactionID = {}, memo = '', transactionFee, maxCustomFees, operation } = decoded.right
  const { nonce, ...others } = transactionID
  const limitsCustomFees = maxCustomFees !== undefined
  return { nonce, namesItself: Object.keys(others).length > 0, memo, transactionFee, limitsCustomFees, operation }
}

/** The text of a transaction to schedule. Equal transactions have equal text. */
export const transactionBody = (
  operation: { readonly kind: string } & Readonly<Record<string, unknown>>,
  more: {
    readonly nonce?: number
    readonly memo?: string
    readonly transactionFee?: number
    readonly maxCustomFees?: Json
  } = {},
): string => {
  const { nonce, ...rest } = more
  return canonicalText({ ...rest, ...(nonce === undefined ? {} : { transactionID: { nonce } }), operation })
}
