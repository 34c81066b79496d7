/**
 * Follows a state to its latest successor. The rule that makes it possible: in every transaction of a chore the
 * successor of a consumed state is the first output, and a level that is born comes second.
 */
import { isRight } from 'fp-ts/lib/Either.js'
import {
  TransactionIdC,
  type AnyStateDefinition,
  type CarillonError,
  type FlowBody,
  type FlowIo,
  type StateAndRef,
  type StateDefinition,
  type StateRef,
} from 'carillon'

const successorIn = ({ code, details }: CarillonError): StateRef | undefined => {
  const consumer = details['consumedBy']
  // Another kind of state in the first place, or none: the line ends here.
  return code === 'state-unknown' || !TransactionIdC.is(consumer) ? undefined : { transaction: consumer, index: 0 }
}

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
    const next = successorIn(found.left)
    if (next === undefined) return undefined
    here = next
  }
}

/** What a consumed state has become; undefined where its line ends with it, or it is still there. */
const successorOf = function* (
  io: FlowIo,
  definition: AnyStateDefinition,
  ref: StateRef,
): FlowBody<StateRef | undefined> {
  const found = yield* io.attempt(io.load(definition, ref))
  return isRight(found) ? undefined : successorIn(found.left)
}

/** The unconsumed state that was born beside this one, or beside one that it has become since. */
export const latestBeside = function* <A>(
  io: FlowIo,
  { line, beside: kind }: { readonly line: AnyStateDefinition; readonly beside: StateDefinition<A> },
  ref: StateRef,
): FlowBody<StateAndRef<A> | undefined> {
  for (let here: StateRef | undefined = ref; here !== undefined; here = yield* successorOf(io, line, here)) {
    const found: StateAndRef<A> | undefined = yield* latest(io, kind, beside(here))
    if (found !== undefined) return found
  }
  return undefined
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
