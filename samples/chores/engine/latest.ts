/**
 * Follows a state to its latest successor. The rule that makes it possible: in every transaction of a chore the
 * successor of a consumed state is the first output, and a level that is born comes second.
 */
import { isRight } from 'fp-ts/lib/Either.js'
import {
  TransactionIdC,
  type FlowBody,
  type FlowIo,
  type StateAndRef,
  type StateDefinition,
  type StateRef,
} from 'carillon'

/** The unconsumed state that this one has become, or undefined when it has ended without a successor. */
export const latest = function* <A>(
  io: FlowIo,
  definition: StateDefinition<A>,
  ref: StateRef,
): FlowBody<StateAndRef<A> | undefined> {
  let here = ref
  for (;;) {
    const found = yield* io.attempt(io.load(definition, here))
    if (isRight(found)) return found.right
    const { code, details } = found.left
    const consumer = details['consumedBy']
    // Another kind of state in the first place, or none: the line ends here.
    if (code === 'state-unknown' || !TransactionIdC.is(consumer)) return undefined
    here = { transaction: consumer, index: 0 }
  }
}

/** Whether a state is still there, itself and not a successor. */
export const isUnconsumed = function* <A>(
  io: FlowIo,
  definition: StateDefinition<A>,
  ref: StateRef,
): FlowBody<boolean> {
  return isRight(yield* io.attempt(io.load(definition, ref)))
}

/** The level above, in the transaction that produced both. */
export const above = ({ transaction }: StateRef): StateRef => ({ transaction, index: 0 })

/** The level that was born beside this one. */
export const beside = ({ transaction }: StateRef): StateRef => ({ transaction, index: 1 })
