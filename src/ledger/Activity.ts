/**
 * An activity: what a state asks for next. An instant, the flow that should then run, and how late is too late.
 * It is plain data; whether the flow exists and takes this input is checked when the state is recorded.
 */
import * as t from 'io-ts'
import { IntegerC } from '../encoding/IntegerC.js'
import type { Json } from '../encoding/canonical.js'
import { JsonC } from '../encoding/JsonC.js'
import { InstantC, type Instant } from '../time/Instant.js'

/** A flow by name, with its input already in encoded form. */
export const FlowRefC = t.readonly(t.strict({ name: t.string, input: JsonC }), 'FlowRef')
/** A flow by name, with its input in encoded form. `Flow.ref(input)` makes one. */
export type FlowRef = { readonly name: string; readonly input: Json }

/** Codec of an activity, as it stands in the log. */
export const ActivityC = t.readonly(
  t.intersection([
    t.strict({ at: InstantC, flow: FlowRefC }),
    t.exact(t.partial({ toleranceMs: IntegerC, onMissed: FlowRefC, once: t.boolean })),
  ]),
  'Activity',
)

/** What a state asks for next: a flow, at an instant. `Flow.at(instant, input)` makes one. */
export type Activity = {
  /** When the flow is due. */
  readonly at: Instant
  /** The flow that is then started; it must be declared schedulable. */
  readonly flow: FlowRef
  /** Lateness beyond which the activity counts as missed. Left out: it runs however late it is. */
  readonly toleranceMs?: number
  /** The flow that is started instead of `flow` when the activity was missed. */
  readonly onMissed?: FlowRef
  /** When true, a restart of the node never starts this activity a second time. */
  readonly once?: boolean
}

/** Odds and ends of an activity; each field is explained at {@link Activity}. */
export type ActivityOptions = Pick<Activity, 'toleranceMs' | 'onMissed' | 'once'>

/** An activity, for a state that names its flow without importing it; otherwise `Flow.at` is shorter. */
export const activity = (at: Instant, flow: FlowRef, options: ActivityOptions = {}): Activity => ({
  at,
  flow,
  ...options,
})
