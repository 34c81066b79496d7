/**
 * Runs a part of a flow, and stops it where it next wakes once it has been cancelled. Whatever it does between two
 * waits happens in one tick, so nothing is cut in half.
 */
import type { FlowBody } from '../flow/FlowDefinition.js'
import type { Operation } from '../flow/Operation.js'

const waits: ReadonlySet<Operation['kind']> = new Set<Operation['kind']>(['sleep', 'sleepUntil', 'step'])

/** What the part returned; `stopped` when it was cancelled first. */
export const runUnlessCancelled = function* <R>(
  part: FlowBody<R>,
  isCancelled: () => FlowBody<boolean>,
): FlowBody<{ readonly stopped: true } | { readonly stopped: false; readonly result: R }> {
  let step = part.next()
  while (step.done !== true) {
    const operation: Operation = step.value
    let resume: () => IteratorResult<Operation, R>
    try {
      const answer = yield operation
      resume = () => part.next(answer)
    } catch (error) {
      resume = () => part.throw(error)
    }
    if (waits.has(operation.kind) && (yield* isCancelled())) return { stopped: true }
    step = resume()
  }
  return { stopped: false, result: step.value }
}
