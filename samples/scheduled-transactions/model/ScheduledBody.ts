/**
 * A transaction that is to be scheduled, as text. Nobody fills in its id but for the nonce: the rest is inherited from
 * the create when it is executed.
 */
import * as t from 'io-ts'
import { isLeft } from 'fp-ts/lib/Either.js'
import { canonicalText, IntegerC, JsonC, type Json } from 'carillon'
import { record } from '../../shared/record.js'
import { NonceC } from './ids.js'

const ScheduledBodyC = record(
  'ScheduledBody',
  {},
  {
    /** Whatever is in it besides the nonce is the network's to set. */
    transactionID: record(
      'ScheduledID',
      {},
      { nonce: NonceC, accountID: JsonC, transactionValidStart: JsonC, scheduled: JsonC },
    ),
    memo: t.string,
    transactionFee: IntegerC,
    /** Limits of custom fees, which no operation here has. */
    maxCustomFees: JsonC,
    operation: t.intersection([t.type({ kind: t.string }), t.record(t.string, JsonC)]),
  },
)
export type ScheduledBody = t.TypeOf<typeof ScheduledBodyC>

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Reads the text; the reason why not is of no use to anybody. */
export const parseBody = (text: string): ScheduledBody | undefined => {
  const decoded = ScheduledBodyC.decode(parseJson(text))
  return isLeft(decoded) ? undefined : decoded.right
}

const WithIDC = t.intersection([t.type({ transactionID: t.record(t.string, JsonC) }), t.record(t.string, JsonC)])

/** A nonce of 0 is none: what is left of the text without it. Any other text stays as it is. */
export const withoutNonceZero = (text: string): string => {
  if (!text.includes('nonce') || parseBody(text)?.transactionID?.nonce !== 0) return text
  const whole = WithIDC.decode(parseJson(text))
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
