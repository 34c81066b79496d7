/**
 * The port to the outside world: runs a step's code and reports how it went, as an input to a later tick.
 */
import type { FlowId } from '../log/FlowId.js'
import type { StepContext } from './operations/step.js'

export type StepRequest = {
  readonly flow: FlowId
  readonly flowName: string
  /** When its flow began, in epoch milliseconds. */
  readonly flowStartedMs: number
  /** The part of the flow that asked for it; absent for the flow itself. */
  readonly part?: string
  /** The step's place in the flow's record, or among the operations of its part. */
  readonly position: number
  readonly name: string
  readonly run: (context: StepContext) => unknown
  readonly context: Omit<StepContext, 'signal'>
  /** How long it may take; then the try has failed. */
  readonly timeoutMs?: number
}

export type StepReport = Pick<StepRequest, 'flow' | 'part' | 'position'> & {
  /** The idempotency key of a step of a part. */
  readonly key?: string
  readonly attempt: number
  readonly result:
    { readonly kind: 'value'; readonly value: unknown } | { readonly kind: 'error'; readonly error: unknown }
}

export type StepRunner = {
  readonly start: (request: StepRequest) => void
  /** Nobody waits for a step any more: its signal is aborted, and whatever it still brings is of no use. */
  readonly cancel?: (flow: FlowId, part: string | undefined) => void
}
