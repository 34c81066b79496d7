/**
 * What a caller hands to a node, looked at before it reaches the loop: whatever the types say, it may come from plain
 * JavaScript, and what is recorded as it stands must be what its codec reads back.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { decodeWith } from '../encoding/decode.js'
import { CarillonError } from '../errors/CarillonError.js'
import { flowLimits } from '../flow/limits.js'
import { TokenIdC } from '../operator/Token.js'

const AskedC = t.partial({
  by: t.string,
  note: t.string,
  clientId: t.string,
  /** The token that asks. */
  caller: TokenIdC,
  /** The name of a flow, or of a kind of state. */
  name: t.string,
  flow: t.string,
  // Whether it names a state of this node is asked later.
  ref: t.type({ transaction: t.string, index: t.number }),
})

/** What may be asked for with; a name that is there must have a value. */
export type AskedOfNode = { readonly [K in keyof t.TypeOf<typeof AskedC>]: unknown }

const oddClientId = ({ clientId }: t.TypeOf<typeof AskedC>): readonly string[] =>
  clientId === undefined || (clientId.length > 0 && clientId.length <= flowLimits.clientIdLength)
    ? []
    : [`clientId has ${clientId.length} characters, and must have 1 to ${flowLimits.clientIdLength}`]

/** Throws `request-invalid` for what cannot be meant. */
export const assertAsked = (asked: AskedOfNode): void => {
  const decoded = decodeWith(AskedC, asked)
  const missing = Object.entries(asked).flatMap(([name, value]) => (value === undefined ? [`${name} is missing`] : []))
  const problems = isLeft(decoded) ? decoded.left : [...missing, ...oddClientId(decoded.right)]
  if (problems.length > 0)
    throw new CarillonError('request-invalid', `The node cannot do what was asked: ${problems.join('; ')}.`)
}
