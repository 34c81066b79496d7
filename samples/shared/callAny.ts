/**
 * Calls a flow of which nothing is known beforehand. It throws and refuses what it likes; whatever that is, the call has
 * failed with it.
 */
import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { Refusal, type AnyFlowDefinition, type FlowBody, type FlowIo } from 'carillon'

/** Longer reasons would not fit into what records them. */
const longest = 300

export type CallFailed = { readonly code: string; readonly message: string }

const failed = (code: string, message = code): Either<CallFailed, never> =>
  left({ code: code.slice(0, longest), message: message.slice(0, longest) })

/** The flow may be missing, or not take the input. */
export const callAny = function* (
  io: FlowIo,
  flow: AnyFlowDefinition | undefined,
  input: unknown,
): FlowBody<Either<CallFailed, void>> {
  const decoded = flow?.input.decode(input)
  if (flow === undefined || decoded === undefined || isLeft(decoded))
    return failed('CallCannotBeDecoded', 'The app has no such flow that takes this input.')
  try {
    const ended = yield* io.attempt(io.subFlow(flow, decoded.right))
    if (isLeft(ended)) return failed(ended.left.code, ended.left.message)
    if (!(ended.right instanceof Refusal)) return right(undefined)
    const refusal: unknown = ended.right.refusal
    return failed(typeof refusal === 'string' ? refusal : JSON.stringify(refusal))
  } catch (error) {
    return failed(error instanceof Error ? error.message : 'flow-threw')
  }
}
