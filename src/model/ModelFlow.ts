/**
 * One flow. A flow that has not ended is running, or held; while it runs it says what it waits for, and nothing moves it
 * before that has come.
 */
import type { EventOf, FlowOrigin, FlowOutcome, RecordedOperation, Waiting } from '../log/events.js'
import type { Instant } from '../time/Instant.js'
import type { EventPlace } from './LoggedTick.js'
import type { ModelError } from './ModelAttempt.js'

/** One flow. */
export type ModelFlow = {
  readonly id: string
  /** Its number among all flows of the log. */
  readonly place: number
  readonly name: string
  readonly version: number
  /** Canonical text of its input. */
  readonly input: string
  readonly origin: FlowOrigin
  readonly startedAt: Instant
  readonly status: 'running' | 'paused' | 'parked' | FlowOutcome
  /** What it waits for; empty while it moves within a tick, and after its end. */
  readonly waits: readonly Waiting[]
  /** When it is to be woken. Undefined: something else must happen first. */
  readonly wakeAt: Instant | undefined
  /** Operations recorded so far. */
  readonly recorded: number
  /** Whether a step is in its record that has begun: its effect outside is there, whatever becomes of the flow. */
  readonly begunStep: boolean
  /** Whether it has ended in a way that an operator has to look at, and none has. */
  readonly attention: boolean
  readonly progress: string | undefined
  readonly ended: EventPlace | undefined
  readonly result: unknown
  readonly error: ModelError | undefined
}

/** What a flow waits for after it has advanced. */
export const waitsIn = ({ waiting }: EventOf<'FlowAdvanced'>): readonly Waiting[] => waiting

/** Whether a recorded operation is a step that has begun. One whose flow could not hold its state has not. */
export const isBegunStep = ({ kind, error }: RecordedOperation): boolean =>
  kind === 'step' && error?.code !== 'state-locked' && error?.code !== 'state-consumed'

/** When a wait is over by itself. A turn is over at once; a step or a message must come first. */
const endOfWait = (wait: Waiting, at: Instant): Instant | undefined => {
  switch (wait.for) {
    case 'instant':
      return wait.until
    case 'step':
      return wait.retryAt
    case 'message':
      return undefined
    case 'turn':
      return wait.retryAt ?? at
  }
}

/** When a flow with these waits is woken: when the first of them is over. */
export const wakeOf = (waits: readonly Waiting[], at: Instant): Instant | undefined =>
  waits.flatMap((wait) => endOfWait(wait, at) ?? []).sort()[0]

/** Whether the flow waits for a step that is running. A finished step is an input, so it may come at any time. */
export const waitsForStep = ({ waits }: ModelFlow): boolean =>
  waits.some((wait) => wait.for === 'step' && wait.retryAt === undefined)

/** Whether the flow waits for this message. */
export const waitsForMessage = ({ waits }: ModelFlow, { session, role, seq }: EventOf<'MessageReceived'>): boolean =>
  waits.some((wait) => wait.for === 'message' && wait.session === session && wait.role === role && wait.seq === seq)
