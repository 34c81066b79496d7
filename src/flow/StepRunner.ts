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
  /** The step's place in the flow's record. */
  readonly position: number
  readonly name: string
  readonly run: (context: StepContext) => unknown
  readonly context: Omit<StepContext, 'signal'>
  /** How long it may take; then the try has failed. */
  readonly timeoutMs?: number
}

export type StepReport = Pick<StepRequest, 'flow' | 'position'> & {
  readonly attempt: number
  readonly result:
    { readonly kind: 'value'; readonly value: unknown } | { readonly kind: 'error'; readonly error: unknown }
}

export type StepRunner = { readonly start: (request: StepRequest) => void }
