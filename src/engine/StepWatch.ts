/**
 * What looks on while steps run, such as a tracer: it may run a step inside a context of its own, and is told of the end
 * of every step it saw begin. It has no say in what comes of the step, not even when it throws.
 */
import type { StepReport, StepRequest } from '../flow/StepRunner.js'

/** How a try of a step ended: as it was reported, or let go because nobody waits for it any more. */
export type StepEnd = StepReport['result'] | { readonly kind: 'letGo'; readonly why: string }

/** One try of a step that is looked on at. */
export type WatchedStep = {
  /** Runs the step's code, and gives what that gives. */
  readonly within: <A>(run: () => A) => A
  readonly ended: (end: StepEnd) => void
}

export type StepWatch = {
  readonly begin: (request: StepRequest) => WatchedStep
  /** The node has stopped: no step begins any more. */
  readonly stopped: () => void
}
