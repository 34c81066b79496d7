/**
 * What becomes of a flow that an error would end: tried again with back-off while the error may pass, kept with its
 * cause where its definition asks for that, ended otherwise.
 */
import { CarillonError, messageOf } from '../errors/CarillonError.js'
import type { AnyFlowDefinition } from './FlowDefinition.js'
import type { Unrecorded } from './LiveFlow.js'
import type { Operation } from './Operation.js'
import { defaultRetry } from './RetryPolicy.js'

export type Treatment =
  | { readonly kind: 'retry'; readonly attempt: number; readonly policy: typeof defaultRetry }
  | { readonly kind: 'park'; readonly error: CarillonError }
  | { readonly kind: 'end' }

/** Operations that only looked: asked again, they may well be answered otherwise. */
const looks: ReadonlySet<Operation['kind']> = new Set([
  'load',
  'find',
  'query',
  'queryPage',
  'now',
  'newId',
  'enter',
  'progress',
  'dependencies',
  'check',
])

/** Takes what was only looked at, and what was refused, off the end of what is to be recorded: it is asked for again. */
export const forgetLooks = (unrecorded: Unrecorded[]): void => {
  for (let last = unrecorded.at(-1); last !== undefined; last = unrecorded.at(-1)) {
    const { operation, answer } = last
    // A step has happened, and its failure is an answer like any other.
    if (!looks.has(operation.kind) && (answer.kind !== 'error' || operation.kind === 'step')) return
    unrecorded.pop()
  }
}

const mayPass = (error: unknown, definition: AnyFlowDefinition | undefined): error is CarillonError =>
  error instanceof CarillonError &&
  (error.code === 'flow-retry-later' || (definition?.transient.includes(error.code) ?? false))

/** `triedBefore` is how often the flow was tried again at this place. */
export const treat = (error: unknown, definition: AnyFlowDefinition | undefined, triedBefore: number): Treatment => {
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
