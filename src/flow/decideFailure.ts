/**
 * What becomes of a flow that an error would end: it is retried with back-off while the error may pass, parked with its
 * cause where its definition asks for that, and ended otherwise.
 */
import { CarillonError, messageOf } from '../errors/CarillonError.js'
import { defaultRetry, type RetryPolicy } from './RetryPolicy.js'

/** What the definition of a flow says about errors that its code does not catch. */
export type FailurePolicy = {
  readonly transient: readonly string[]
  readonly retry: RetryPolicy
  readonly whenFailing: 'fail' | 'park'
}

export type FailureDecision =
  | { readonly kind: 'retry'; readonly attempt: number; readonly policy: RetryPolicy }
  | { readonly kind: 'park'; readonly error: CarillonError }
  | { readonly kind: 'end' }

const mayPass = (error: unknown, definition: FailurePolicy | undefined): error is CarillonError =>
  error instanceof CarillonError &&
  (error.code === 'flow-retry-later' || (definition?.transient.includes(error.code) ?? false))

/** `triedBefore` is how often the flow was tried again at this place. */
export const decideFailure = (
  error: unknown,
  definition: FailurePolicy | undefined,
  triedBefore: number,
): FailureDecision => {
  const policy = definition?.retry ?? defaultRetry
  const attempt = triedBefore + 1
  if (mayPass(error, definition)) {
    if (attempt < policy.attempts) return { kind: 'retry', attempt, policy }
    const details = { ...error.details, attempts: attempt }
    const message = `It was tried ${attempt === 1 ? 'once' : `${attempt} times`}, the last time: ${messageOf(error)}`
    return { kind: 'park', error: new CarillonError(error.code, message, details, error) }
  }
  if (definition?.whenFailing !== 'park') return { kind: 'end' }
  const known = error instanceof CarillonError ? error : new CarillonError('flow-threw', messageOf(error), {}, error)
  return { kind: 'park', error: known }
}
