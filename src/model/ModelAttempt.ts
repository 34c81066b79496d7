/**
 * One attempt at an occurrence. Every attempt has exactly one outcome of this closed set; `running` and `parked-flow`
 * are those of a flow that has not ended yet.
 */
import type { EventOf, FlowOrigin, FlowOutcome } from '../log/events.js'
import type { Instant } from '../time/Instant.js'

/** An error as the log keeps it. */
export type ModelError = EventOf<'FlowParked'>['error']

/** Why a flow was started for an activity. */
export type ModelCause = Extract<FlowOrigin, { readonly kind: 'activity' }>['cause']

/** What became of an attempt. */
export type ModelOutcome =
  | 'running'
  | 'parked-flow'
  | FlowOutcome
  /** The flow completed with a refusal. */
  | 'refused'
  /** Too late, and the state names no flow for that case. */
  | 'missed'
  /** No flow could be started; it is tried again. */
  | 'start-failed'
  /** No flow could be started, and it is not tried again without an operator. */
  | 'parked'
  /** An operator closed the activity instead. */
  | 'dismissed'

/** One attempt at an occurrence. */
export type ModelAttempt = {
  /** Together with the state ref: which occurrence. Undefined where the state could not say when it is due. */
  readonly due: Instant | undefined
  /** 1 for the first attempt at this occurrence. */
  readonly attempt: number
  readonly at: Instant
  /** How long after the due instant; negative when an operator triggered it early. */
  readonly latenessMs: number
  readonly outcome: ModelOutcome
  /** The flow, its name and why it was started, where one was. */
  readonly flow?: string
  readonly flowName?: string
  readonly cause?: ModelCause
  readonly error?: ModelError | undefined
  /** Who closed the activity. */
  readonly by?: string
}

/** The number of the last attempt at the occurrence of a due instant; 0 when there was none. */
export const lastAttempt = (attempts: readonly ModelAttempt[], due: Instant | undefined): number =>
  due === undefined ? 0 : Math.max(0, ...attempts.filter((one) => one.due === due).map(({ attempt }) => attempt))
