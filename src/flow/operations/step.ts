/**
 * A side effect with a name. It runs outside the tick, after everything before it is durable, and its result is recorded.
 */
import { defineOperation } from '../defineOperation.js'
import { bytesOfValue } from '../recordedBytes.js'
import type { RetryPolicy } from '../RetryPolicy.js'
import type { FlowReads } from '../FlowReads.js'

/** What a step is told about itself. */
export type StepContext = {
  /** The same for every try of this step, across restarts: hand it to the outside system. */
  readonly idempotencyKey: string
  /** 1 for the first try. */
  readonly attempt: number
  /** Aborted when the step has run out of time or its flow has ended: hand it to whatever can be cancelled. */
  readonly signal: AbortSignal
  /** Counts up whenever another process takes over the node: an outside system can refuse an older one. */
  readonly term: number
}

export type Step = {
  readonly kind: 'step'
  readonly name: string
  readonly run: (context: StepContext) => unknown
  readonly retry: RetryPolicy
  /** What becomes of the flow when the last try has failed. */
  readonly thenPark: boolean
  readonly timeoutMs: number | undefined
}

const wait = { kind: 'step' } as const

export const step = defineOperation<Step, FlowReads>({
  kind: 'step',
  identity: ({ name }) => ({ name }),
  label: ({ name }) => `step "${name}"`,
  decide: () => wait,
  recordedBytes: (_operation, result) => bytesOfValue(result),
})
