/**
 * The flow that another one names, with an input that it takes.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import type { Json } from '../encoding/canonical.js'
import { decodeWith } from '../encoding/decode.js'
import { CarillonError } from '../errors/CarillonError.js'
import type { FlowSignature } from '../ledger/Definitions.js'
import type { FlowReads } from './FlowReads.js'

/** Throws `flow-unknown` or `flow-input-invalid`. */
export const decodedInput = ({ registry }: Pick<FlowReads, 'registry'>, name: string, input: Json): FlowSignature => {
  const signature = registry.requireFlow(name)
  const decoded = decodeWith(signature.input, input)
  if (isLeft(decoded))
    throw new CarillonError(
      'flow-input-invalid',
      `The input for flow ${name} does not fit its codec: ${decoded.left.join('; ')}`,
      { flow: name },
    )
  return signature
}
