/**
 * The definition of a flow: a durable program, written as a generator. Between two operations its code must
 * depend only on its input and on what the operations answered, since it is run again after a restart.
 */
import * as t from 'io-ts'
import { Duration, type DurationLikeObject } from 'luxon'
import type { Json } from '../encoding/canonical.js'
import { CarillonError } from '../errors/CarillonError.js'
import { rememberPlace } from '../errors/codePlace.js'
import { activity, type Activity, type ActivityOptions, type FlowRef } from '../ledger/Activity.js'
import { assertName, assertVersion } from '../ledger/assertName.js'
import { assertRun } from './assertBody.js'
import type { Instant } from '../time/Instant.js'
import type { FlowIo } from './FlowIo.js'
import type { Refusal, RefusalCodec } from '../flow/Refusal.js'
import { assertRetryPolicy, defaultRetry, type RetryPolicy } from '../flow/RetryPolicy.js'

/** What a flow asks of its node. {@link FlowIo} makes them, and a flow hands them on with `yield*`. */
export type FlowOperation = { readonly kind: string }

/** The body of a flow that returns an `R`. Annotate `run` with it where a state and a flow name each other. */
export type FlowBody<R> = Generator<FlowOperation, R, unknown>

/** Which flow is answered, and in which of its versions. */
export type RespondsTo = { readonly flow: string; readonly fromVersion: number; readonly toVersion: number }

/** A kind of flow. Make one with {@link defineFlow}. */
export type FlowDefinition<I, R, F = never> = {
  readonly name: string
  readonly version: number
  readonly input: t.Type<I, unknown>
  /** What it may refuse with; undefined for a flow that does not refuse. */
  readonly refusals: RefusalCodec<F> | undefined
  readonly schedulable: boolean
  readonly holdsState: boolean
  /** Whether it may complete and leave the state of its activity unconsumed. */
  readonly leavesState: boolean
  /** How long other parties have to consume a state that it has left unconsumed. */
  readonly attentionAfterMs: number
  /** Whether a client may start it; what answers another party's flow is for that party alone. */
  readonly clients: boolean
  /** The flow of another party that this one answers, in the versions it understands. */
  readonly respondsTo: RespondsTo | undefined
  /** Codes of errors that may pass: a flow that one of them would end is tried again. */
  readonly transient: readonly string[]
  readonly retry: RetryPolicy
  readonly whenFailing: 'fail' | 'park'
  readonly run: (io: FlowIo, input: I) => FlowBody<R | Refusal<F>>
  /** A reference to this flow with an input, for a state to name. */
  readonly ref: (input: I) => FlowRef
  /** An activity: this flow, with this input, at this instant. */
  readonly at: (at: Instant, input: I, options?: ActivityOptions) => Activity
}

/** A definition whose types are of no interest, as registries hold it. */
// oxlint-disable-next-line typescript/no-explicit-any -- definitions are contravariant in their input; `any` is the only type all of them fit
export type AnyFlowDefinition = FlowDefinition<any, unknown, unknown>

/** What an app writes to define a flow. */
export type FlowOptions<I, R, F = never> = {
  /** A name that stays the same for ever, such as `heartbeat/Beat`. */
  readonly name: string
  /** Counts up when the behaviour changes. Default 1. */
  readonly version?: number
  /** The io-ts codec of the input. */
  readonly input: t.Type<I, unknown>
  /**
   * The io-ts codec of what the flow may refuse with: `return refuseWith(value)` ends it with an outcome that is not a failure.
   * What it has done before stays done. Default: it does not refuse.
   */
  readonly refusals?: t.Type<F, unknown>
  /** Whether a state may name this flow in its activity. Default false. */
  readonly schedulable?: boolean
  /**
   * Whether the flow holds the state whose activity has started it: before each step the state is reserved for the flow, so
   * that no other flow of this node can consume it, and it is given back while the flow sleeps or waits for something
   * else than a step. A step does not begin when the state was consumed before (`state-consumed`). One that another flow
   * has reserved is waited for like any error in `transient`. What the flow reserves itself with `io.lock` it keeps. Only for a schedulable flow. Default false.
   */
  readonly holdsState?: boolean
  /**
   * Whether it is intended that the flow completes and leaves the state whose activity has started it unconsumed. Otherwise
   * the activity is shown under attention then: it is not started again before the next start of the node. Default false.
   */
  readonly leavesState?: boolean
  /**
   * For a state that other parties take part in: how long after the end of the flow it may still be unconsumed before it
   * is shown under attention. Each party's node runs the flow, and one of them acts. Default one hour.
   */
  readonly attentionAfter?: DurationLikeObject
  /**
   * Whether clients may start this flow: programs, the command line, the dashboard and HTTP alike. With false only the
   * activity of a state starts it, or another flow runs it as a part of itself. Default true.
   */
  readonly clients?: boolean
  /**
   * Codes of errors that may pass, such as `state-locked`. A flow that one of them would end is tried again from where it
   * last did something, as often as `retry` says, and then parked. `retryLater` always counts. Default: none.
   */
  readonly transient?: readonly string[]
  /** How often and how patiently that is done. Default: as for a step. */
  readonly retry?: Partial<RetryPolicy>
  /** Whether an error that the flow does not catch ends it, or parks it with the error, for an operator. Default `fail`. */
  readonly whenFailing?: 'fail' | 'park'
  /** The flow itself: a generator that calls each operation of `io` with `yield*`. */
  readonly run: (io: FlowIo, input: I) => FlowBody<R | Refusal<NoInfer<F>>>
}

/** Defines a flow. Its body is a generator: every `yield*` is a point where it may be suspended and later go on. */
export const defineFlow = <I, R, F = never>(options: FlowOptions<I, R, F>): FlowDefinition<I, R, F> => {
  assertName('flow', options.name)
  const version = options.version ?? 1
  assertVersion('Flow', options.name, version)
  const schedulable = options.schedulable ?? false
  const holdsState = options.holdsState ?? false
  if (holdsState && !schedulable)
    throw new CarillonError(
      'definition-invalid',
      `Flow ${options.name} holds its state, but no state may name it. Add schedulable: true to its definition, or lock states with io.lock.`,
      { flow: options.name },
    )
  const retry = { ...defaultRetry, ...options.retry }
  assertRetryPolicy(`flow ${options.name}`, retry)
  const ref = (input: I): FlowRef => {
    if (!schedulable) {
      throw new CarillonError(
        'flow-not-schedulable',
        `Flow ${options.name} is not schedulable, so no state may name it. Add schedulable: true to its definition.`,
        { flow: options.name },
      )
    }
    return { name: options.name, input: options.input.encode(input) as Json }
  }
  const definition = {
    name: options.name,
    version,
    input: options.input,
    refusals: options.refusals,
    schedulable,
    holdsState,
    leavesState: options.leavesState ?? false,
    attentionAfterMs: Math.max(0, Math.trunc(Duration.fromObject(options.attentionAfter ?? { hours: 1 }).toMillis())),
    clients: options.clients ?? true,
    respondsTo: undefined,
    transient: Object.freeze([...(options.transient ?? []), ...(holdsState ? ['state-locked'] : [])]),
    retry,
    whenFailing: options.whenFailing ?? 'fail',
    run: options.run,
    ref,
    at: (at: Instant, input: I, activityOptions?: ActivityOptions) => activity(at, ref(input), activityOptions),
  }
  assertRun(rememberPlace(definition, defineFlow))
  return Object.freeze(definition)
}

const isEmpty = (value: unknown): value is Record<string, never> =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0

/** The codec of a flow that takes no input; it is started with `{}`. */
export const NoInputC: t.Type<Record<string, never>, unknown> = new t.Type(
  'no input',
  isEmpty,
  (value, context) => (isEmpty(value) ? t.success(value) : t.failure(value, context)),
  t.identity,
)
