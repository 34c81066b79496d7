/**
 * A {@link StepWatch} that cannot fail, made of one that can, such as a tracer with parts of others in it. Whatever the
 * watch does, a step runs once, what comes of it is what its own code gives, and its end reaches the node.
 */
import * as E from 'fp-ts/lib/Either.js'
import { messageOf } from '../errors/CarillonError.js'
import type { Logger } from './Logger.js'
import type { StepWatch, WatchedStep } from './StepWatch.js'

type Failed = (error: unknown) => void

/** Does what must not fail; undefined when it did. A promise that nobody awaits must not end the process either. */
const attempt = <A>(work: () => A, failed: Failed): A | undefined => {
  try {
    const given = work()
    if (given instanceof Promise) given.catch(failed)
    return given
  } catch (error) {
    failed(error)
    return undefined
  }
}

/** Runs code once inside a watch, or by itself when the watch does not come to it. */
const runWithin = <A>(watched: WatchedStep, run: () => A, failed: Failed): A => {
  const ran: { outcome?: E.Either<unknown, A> } = {}
  const outcomeOf = (): E.Either<unknown, A> => (ran.outcome ??= E.tryCatch(run, (error) => error))
  const once = (): A => {
    const outcome = outcomeOf()
    if (E.isRight(outcome)) return outcome.right
    throw outcome.left
  }
  try {
    const given = watched.within(once)
    const { outcome } = ran
    if (outcome === undefined) failed(new Error('It did not run the step.'))
    else if (given instanceof Promise && !(E.isRight(outcome) && outcome.right === given)) given.catch(failed)
  } catch (error) {
    const isOfStep = ran.outcome !== undefined && E.isLeft(ran.outcome) && ran.outcome.left === error
    if (!isOfStep) failed(error)
  }
  return once()
}

/** The same watch, whose failures are told once for each thing it is asked to do, and else have no consequence. */
export const guardStepWatch = (watch: StepWatch, logger: Logger): StepWatch => {
  const told = new Set<string>()
  const failedTo =
    (what: string): Failed =>
    (error) => {
      if (told.has(what)) return
      told.add(what)
      logger.warn(
        `What looks on at steps failed to ${what}; steps go on without it. It is not told again. ${messageOf(error)}`,
        {},
      )
    }
  return {
    begin: (request) => {
      const watched = attempt(() => watch.begin(request), failedTo('begin with a step'))
      if (watched === undefined) return { within: (run) => run(), ended: () => undefined }
      return {
        within: (run) => runWithin(watched, run, failedTo('run a step')),
        ended: (end) => {
          attempt<unknown>(() => watched.ended(end), failedTo('take note of the end of a step'))
        },
      }
    },
    stopped: () => {
      attempt<unknown>(() => watch.stopped(), failedTo('take note that the node has stopped'))
    },
  }
}
