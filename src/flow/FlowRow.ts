/**
 * One flow as the view holds it. A suspended flow is this row and its record; there is nothing else to it.
 */
import type { FlowId } from '../log/FlowId.js'
import type { EndedAs } from '../log/endedAs.js'

/** How a flow stands: under way, held by an operator, needing attention, or ended in one of several ways. */
export type FlowStatus = 'running' | 'paused' | 'parked' | EndedAs

/** Why an activity started a flow: it was due, it was missed, the node was restarted, or an operator asked for it. */
export type StartCause = 'due' | 'missed' | 'restart' | 'retry' | 'trigger'

export type FlowRow = {
  readonly seq: number
  readonly id: FlowId
  readonly name: string
  readonly version: number
  /** Canonical text of the input. */
  readonly input: string
  readonly startedMs: number
  readonly fromRevision: number
  /** The state whose activity started it, by sequence number; null when a client did. */
  readonly stateSeq: number | null
  readonly dueMs: number | null
  readonly attempt: number | null
  readonly latenessMs: number | null
  readonly cause: StartCause | null
  readonly clientId: string | null
  readonly startedBy: string | null
  /** The session it answers, when another party's flow started it. */
  readonly session: string | null
  readonly status: FlowStatus
  readonly untilRevision: number | null
  readonly endedMs: number | null
  /** Canonical text of what it returned, or refused with. */
  readonly result: string | null
  /** Canonical text of the recorded error, when it failed or is parked. */
  readonly error: string | null
  /** Canonical text of the list of what it waits for. */
  readonly waiting: string | null
  /** How many of its steps are under way, and have to be run again after a restart. */
  readonly stepsUnderWay: number
  /** When it is to be woken. */
  readonly wakeMs: number | null
  /** Operations recorded so far. */
  readonly recorded: number
  readonly progress: string | null
}

/** A row in the hands of the evolver of flows. */
export type FlowDraft = FlowRow & {
  status: FlowStatus
  untilRevision: number | null
  endedMs: number | null
  result: string | null
  error: string | null
  waiting: string | null
  stepsUnderWay: number
  wakeMs: number | null
  recorded: number
  progress: string | null
}

export const hasEnded = (row: Pick<FlowRow, 'untilRevision'>): boolean => row.untilRevision !== null
