/**
 * A flow that a decider wants to be started: the engine finds its code by name, records the start, and runs it.
 */
import type { Encoded, Json } from '../encoding/canonical.js'
import type { FlowOrigin } from '../log/events.js'
import type { FlowId } from '../log/FlowId.js'

export type FlowStart = {
  readonly id: FlowId
  readonly name: string
  /** Decoded. */
  readonly input: unknown
  /** As recorded. */
  readonly encodedInput: Json | Encoded
  readonly origin: FlowOrigin
}
