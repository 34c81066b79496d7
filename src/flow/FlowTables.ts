/**
 * What the rules ask of the tables of flows. Deciders get the reading half, the evolver of flows both halves.
 */
import type { RecordedOperation } from '../log/events.js'
import type { FlowId } from '../log/FlowId.js'
import type { FlowRow } from './FlowRow.js'

export interface FlowsRead {
  readonly find: (id: FlowId) => Readonly<FlowRow> | undefined
  readonly get: (seq: number) => Readonly<FlowRow>
  /** The sequence number of a flow. */
  readonly locate: (id: string) => number | undefined
  /** The sequence number of the newest flow. */
  readonly lastSeq: () => number
  /** Everything a flow has recorded, in order. */
  readonly record: (row: Readonly<FlowRow>) => readonly RecordedOperation[]
  /** Flows to be woken up to an instant, in order. */
  readonly toWake: (nowMs: number, limit: number) => readonly Readonly<FlowRow>[]
  /** Whether a flow is to be woken, of those that are known without asking. */
  readonly isToWake: (nowMs: number) => boolean
  /** The earliest instant at which a flow is to be woken. */
  readonly nextWakeMs: () => number | undefined
  /** Flows with a step under way, which must be run again after a restart. */
  readonly inSteps: (afterSeq: number, limit: number) => readonly Readonly<FlowRow>[]
  /** The revision at which the last flow of a state's activity ended; beyond all revisions while it has not. */
  readonly lastEndOf: (stateSeq: number) => number
  /** The number of the last attempt at an occurrence that started a flow; 0 when there is none. */
  readonly lastAttempt: (stateSeq: number, dueMs: number) => number
}

/** What deciders may ask of the flows. */
export interface FlowsReadTables {
  readonly flows: FlowsRead
}
