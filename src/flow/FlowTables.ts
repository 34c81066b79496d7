/**
 * What the rules ask of the tables of flows. Deciders get the reading half, the evolver of flows both halves.
 */
import type { RecordedOperation } from '../log/events.js'
import type { FlowId } from '../log/FlowId.js'
import type { SessionRole } from '../log/Message.js'
import type { SessionId } from '../log/SessionId.js'
import type { ChildRow } from './ChildRow.js'
import type { FlowDraft, FlowRow } from './FlowRow.js'
import type { SignalRow } from './SignalRow.js'
import type { TroubleRow } from './TroubleRow.js'
import type { WaitKey } from './WaitKey.js'

export interface FlowsRead {
  readonly find: (id: FlowId) => FlowRow | undefined
  readonly get: (seq: number) => FlowRow
  /** The sequence number of a flow. */
  readonly locate: (id: string) => number | undefined
  /** The sequence number of the newest flow. */
  readonly lastSeq: () => number
  /** Everything a flow has recorded, in order. */
  readonly record: (row: FlowRow) => readonly RecordedOperation[]
  /** Flows to be woken up to an instant, in order. */
  readonly toWake: (nowMs: number, limit: number) => readonly FlowRow[]
  /** Whether a flow is to be woken, of those that are known without asking. */
  readonly isToWake: (nowMs: number) => boolean
  /** The earliest instant at which a flow is to be woken. */
  readonly nextWakeMs: () => number | undefined
  /** Flows with a step under way, which must be run again after a restart. */
  readonly inSteps: (afterSeq: number, limit: number) => readonly FlowRow[]
  /** The revision at which the last flow of a state's activity ended; beyond all revisions while it has not. */
  readonly lastEndOf: (stateSeq: number) => number
  /** The number of the last attempt at an occurrence that started a flow; 0 when there is none. */
  readonly lastAttempt: (stateSeq: number, dueMs: number) => number
}

export interface Flows extends FlowsRead {
  readonly find: (id: FlowId) => FlowDraft | undefined
  readonly get: (seq: number) => FlowDraft
  /** The flow at this node's end of a session. */
  readonly atSession: (session: SessionId, role: SessionRole) => FlowDraft | undefined
  /** The number the next flow will get. */
  readonly nextSeq: number
  /** Adds a row; its number must be {@link nextSeq}. */
  readonly insert: (row: FlowDraft) => void
  /** To be called after changing a row. */
  readonly touch: (row: FlowDraft) => void
  /** Adds operations, as canonical text, to the end of a flow's record. */
  readonly appendOperations: (row: FlowDraft, texts: readonly string[]) => void
}

/** Ended flows that an operator has to look at. */
export interface FlowAttentionRead {
  readonly has: (flowSeq: number) => boolean
}

export interface FlowAttention extends FlowAttentionRead {
  readonly add: (flowSeq: number) => void
  readonly remove: (flowSeq: number) => void
}

/** The tokens that flows were started with. */
export interface Callers {
  readonly insert: (flowSeq: number, caller: string) => void
}

export interface Troubles {
  readonly insert: (row: TroubleRow) => void
}

/** Which flows wait for what, so that they are found when it is recorded. */
export interface WaitIndex {
  /** Whether no flow waits for anything that is found here. */
  readonly isEmpty: boolean
  /** The sets of fields by which flows wait for something of a topic. */
  readonly fieldsOf: (topic: string) => readonly string[]
  /** The sequence numbers of the flows that wait under a key, in order. */
  readonly flowsAt: (key: WaitKey) => readonly number[]
  readonly insert: (key: WaitKey, flowSeq: number) => void
  readonly remove: (key: WaitKey, flowSeq: number) => void
}

export interface SignalsRead {
  /** The oldest signal of a name that a flow has not taken yet. */
  readonly next: (flowSeq: number, name: string) => SignalRow | undefined
  /** How many signals a flow has not taken yet, counted up to a limit. */
  readonly countKept: (flowSeq: number, limit: number) => number
  /** The number of the last signal that a flow was sent; 0 before the first. */
  readonly lastSeq: (flowSeq: number) => number
  /** Whether a flow was sent a signal with this id; also after its end. */
  readonly wasSent: (flowSeq: number, id: string) => boolean
}

export interface Signals extends SignalsRead {
  readonly insert: (row: SignalRow) => void
  readonly take: (flowSeq: number, seq: number) => void
  /** To be called for every flow that ends, unless it continues as another: nothing is left to be taken. */
  readonly endOf: (flowSeq: number) => void
}

export interface ChildrenRead {
  /** How a flow belongs to its parent; undefined for one that no flow has started. */
  readonly of: (childSeq: number) => ChildRow | undefined
  /** How many flows are above a flow. */
  readonly depthOf: (flowSeq: number) => number
  /** The children of a flow, in the order in which they were started. */
  readonly ofParent: (parentSeq: number) => readonly ChildRow[]
  /** The first of the flows that have continued as one another up to a flow; itself when it has continued none. */
  readonly firstOf: (flowSeq: number) => number
  /** The flow that one has continued as, however often; itself when it has not. */
  readonly lastOf: (flowSeq: number) => number
}

export interface Children extends ChildrenRead {
  readonly insert: (row: ChildRow) => void
  /** A flow has continued as another, which has its children from then on. */
  readonly continueAs: (fromSeq: number, flowSeq: number) => void
}

/** What deciders may ask of the flows. */
export interface FlowsReadTables {
  readonly flows: FlowsRead
  readonly flowAttention: FlowAttentionRead
  readonly signals: SignalsRead
  readonly children: ChildrenRead
}

/** What the evolver of flows writes to. */
export interface FlowTables extends FlowsReadTables {
  readonly flows: Flows
  readonly flowAttention: FlowAttention
  readonly troubles: Troubles
  readonly waits: WaitIndex
  readonly signals: Signals
  readonly callers: Callers
  readonly children: Children
}
