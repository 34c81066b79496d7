/**
 * What a decider gives back: what it has decided, or the refusal. Inside a decider a check refuses by throwing, so that it
 * ends the decision at once; outside it a refusal is a value. Errors of the node and of app code are no refusals and pass.
 */
import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { CarillonError, concernsNode } from './CarillonError.js'

export type Decision<A> = Either<CarillonError, A>

/** The refusal in what a decider threw; what is none is thrown on. */
export const refusalIn = (thrown: unknown): CarillonError => {
  if (concernsNode(thrown) || !(thrown instanceof CarillonError)) throw thrown
  return thrown
}

/** A decider whose refusals are returned. */
export const deciding =
  <Args extends readonly unknown[], A>(decide: (...args: Args) => A): ((...args: Args) => Decision<A>) =>
  (...args) => {
    try {
      return right(decide(...args))
    } catch (error) {
      return left(refusalIn(error))
    }
  }

/** What was decided; throws the refusal, which so ends the decision or the call that this one is a part of. */
export const orThrow = <A>(decision: Decision<A>): A => {
  if (isLeft(decision)) throw decision.left
  return decision.right
}
