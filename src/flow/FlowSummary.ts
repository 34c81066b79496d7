/**
 * A flow as people and apps see it from outside a tick.
 */
import type { RecordedError } from '../errors/CarillonError.js'
import { showRef } from '../ledger/StateRef.js'
import type { FlowOrigin, RecordedOperation, Waits } from '../log/events.js'
import type { FlowId } from '../log/FlowId.js'
import type { Instant } from '../time/Instant.js'
import type { WhenParentEnds } from './ChildRow.js'
import type { FlowStatus } from './FlowRow.js'
import type { TroubleKind } from './TroubleRow.js'

/** A flow as people see it. */
export type FlowSummary = {
  readonly id: FlowId
  readonly name: string
  readonly version: number
  readonly status: FlowStatus
  readonly startedAt: Instant
  readonly endedAt?: Instant
  readonly progress?: string
  /** What a suspended flow waits for: the first of these that comes lets it go on. */
  readonly waiting?: Waits
  readonly result?: unknown
  /** What it refused with, when its status is `refused`. */
  readonly refusal?: unknown
  readonly error?: RecordedError
  readonly startedBy: FlowOrigin
}

/** A flow with its input and everything it has recorded. */
export type FlowDetails = FlowSummary & {
  readonly input: unknown
  readonly record: readonly RecordedOperation[]
  /** Every failed try, every time it was parked, retried, paused or resumed, and an end that needs attention, in order. */
  readonly troubles: readonly FlowTrouble[]
  /** Signals that it was sent and has not taken yet, in order. */
  readonly signals: readonly KeptSignal[]
  /** The flow whose child it is. */
  readonly parent?: FlowId
  /** The flows that it has started, in order; the first 1,000 of them. */
  readonly children: readonly FlowChild[]
  /** The flow that it has continued as. */
  readonly continuedAs?: FlowId
}

/** A flow that another one has started. */
export type FlowChild = {
  readonly id: FlowId
  readonly name: string
  readonly status: FlowStatus
  readonly whenParentEnds: WhenParentEnds
}

/** A signal that a flow was sent and has not taken yet. */
export type KeptSignal = {
  readonly signal: string
  readonly data: unknown
  /** Who sent it. */
  readonly by: string
  readonly at: Instant
  /** What its sender called it. */
  readonly id?: string
}

/** Something that befell a flow, or that an operator did about it. */
export type FlowTrouble = {
  readonly at: Instant
  readonly what: TroubleKind
  readonly by?: string
  readonly error?: RecordedError
  /** When a failed try is followed by the next. */
  readonly retryAt?: Instant
}

/** Which flows to list. */
export type FlowQuery = {
  /**
   * Only flows in this condition; `open` are those that have not ended, `troubled` those parked or tried again, `attention`
   * those that need an operator: parked, or superseded after they had begun a step.
   */
  readonly status?: FlowStatus | 'open' | 'troubled' | 'attention'
  readonly name?: string
  /** Only the children of this flow. */
  readonly parent?: FlowId
  /** At most so many, newest first; default 100. */
  readonly limit?: number
  /** The cursor of the page before. */
  readonly after?: number
}

/** Who or what started a flow. */
export const showOrigin = ({ startedBy }: FlowSummary): string => {
  switch (startedBy.kind) {
    case 'activity':
      return `activity of ${showRef(startedBy.ref)}`
    case 'session':
      return `session with ${startedBy.party}`
    case 'client':
      return startedBy.by
    case 'flow':
      return `flow ${startedBy.flow}`
    case 'continued':
      return `flow ${startedBy.from}, which has continued as this one`
  }
}
