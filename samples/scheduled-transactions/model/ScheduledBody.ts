/**
 * A transaction that is to be scheduled, as text. Nobody fills in its id but for the nonce: the rest is inherited from
 * the create when it is executed.
 */
import * as t from 'io-ts'
import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { canonicalText, IntegerC, JsonC, type Json } from 'carillon'
import { NonceC } from './ids.js'

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

const WithIDC = t.intersection([t.type({ transactionID: t.record(t.string, JsonC) }), t.record(t.string, JsonC)])

/** A nonce of 0 is none: what is left of the text without it. Any other text stays as it is. */
export const withoutNonceZero = (text: string): string => {
  if (!text.includes('nonce') || parseBody(text)?.nonce !== 0) return text
  const json = parseJson(text)
  const whole = isLeft(json) ? json : WithIDC.decode(json.right)
  if (isLeft(whole)) return text
  const { transactionID, ...rest } = whole.right
  const others = Object.fromEntries(Object.entries(transactionID).filter(([field]) => field !== 'nonce'))
  return canonicalText({ ...rest, ...(Object.keys(others).length === 0 ? {} : { transactionID: others }) })
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
  return canonicalText({ ...rest, ...((nonce ?? 0) === 0 ? {} : { transactionID: { nonce } }), operation })
}
