/**
 * The model: all that a node knows, as maps of plain records. It is a fold over the log and nothing else, so two equal
 * logs give equal models.
 */
import type { Json } from '../encoding/canonical.js'
import { toMillis, type Instant } from '../time/Instant.js'
import type { ModelFlow } from './ModelFlow.js'
import type { ModelState } from './ModelState.js'

/** One end of a session with another party. */
export type ModelSession = {
  /** The flow at this end. Undefined where the session was refused. */
  readonly flow: string | undefined
  /** The numbers of the messages that have arrived. */
  readonly received: readonly number[]
}

/** A flow that another one has started. */
export type ModelChild = { readonly flow: string; readonly whenParentEnds: 'cancel' | 'leave' }

/** A signal that a flow was sent. */
export type ModelSignal = {
  readonly seq: number
  readonly name: string
  readonly data: Json
  readonly by: string
  readonly at: Instant
  readonly id: string | undefined
  readonly taken: boolean
}

/** What is known of the node as a whole. */
export type ModelNode = {
  readonly term: number
  /** False before the first start and after a stop. After a crash it stays true until the next start. */
  readonly running: boolean
  readonly draining: boolean
  /** The last start of the node, as a revision. Undefined after a takeover, which makes no new attempts. */
  readonly startRevision: number | undefined
  /** From when on that start could make new attempts: its own instant, or the end of the draining that it found. */
  readonly reopensSince: Instant | undefined
  /** Whether the last tick left activities waiting that were due. Then the next tick may also take only a part. */
  readonly leftDue: boolean
}

/** The limits of the node's ticks, as far as they decide what a tick must do. */
export type ModelLimits = {
  /** A tick of this many bytes is closed although there is more to do. */
  readonly tickBytes: number
  /** A tick of this many bytes may be closed, when the disk has nothing to do. */
  readonly idleTickBytes: number
  readonly activitiesPerTick: number
  readonly wakesPerTick: number
  /** A failed start is tried again after a wait that doubles, from the first to the longest, so many times. */
  readonly startRetryFirstMs: number
  readonly startRetryLongestMs: number
  readonly startAttempts: number
  /** After this a key that a flow has reserved may be reserved by another. */
  readonly keyReservedMs: number
}

/** All that a node knows. Records are replaced, never changed. */
export type Model = {
  readonly limits: ModelLimits
  node: ModelNode
  /** By state ref, in the order of {@link ModelState.place}. */
  readonly states: Map<string, ModelState>
  /** By flow id, in the order of their starts. */
  readonly flows: Map<string, ModelFlow>
  /** The flows that wait for something that is yet to be recorded, by id. */
  readonly waiting: Set<string>
  /** By flow id: the signals that a flow that has not ended was sent, in order, and whether it has taken them. */
  readonly signals: Map<string, readonly ModelSignal[]>
  /** By flow id: the children that a flow has, and whether they end with it. */
  readonly children: Map<string, readonly ModelChild[]>
  /** By {@link sessionEnd}. */
  readonly sessions: Map<string, ModelSession>
  /** By state ref: the flow that has reserved the state. */
  readonly locks: Map<string, string>
  /** By {@link typedKey}: the flow that has reserved the key while it collects signatures, and when it did. */
  readonly reserved: Map<string, { readonly flow: string; readonly at: Instant }>
  /** The transactions this party has signed as a whole and whose finality is yet to come. */
  readonly signed: Set<string>
  /** By state ref, where this node is the notary: the transaction that may consume the state. */
  readonly spent: Map<string, string>
  /** The ids of all recorded transactions. */
  readonly transactions: Set<string>
}

/** A session has two ends, and both may be at one node. */
export const sessionEnd = ({ session, role }: { readonly session: string; readonly role: string }): string =>
  `${session} ${role}`

/** A key belongs to one type of state. */
export const typedKey = ({ type, key }: { readonly type: string; readonly key: string }): string => `${type} ${key}`

/** The flow for which a key is kept at an instant. */
export const keptFor = (
  { reserved, limits }: Model,
  key: { readonly type: string; readonly key: string },
  at: Instant,
): string | undefined => {
  const held = reserved.get(typedKey(key))
  return held !== undefined && toMillis(at) - toMillis(held.at) < limits.keyReservedMs ? held.flow : undefined
}

/** What a node knows before its first tick. */
export const emptyModel = (limits: ModelLimits): Model => ({
  limits,
  node: { term: 0, running: false, draining: false, startRevision: undefined, reopensSince: undefined, leftDue: false },
  states: new Map(),
  flows: new Map(),
  waiting: new Set(),
  signals: new Map(),
  children: new Map(),
  sessions: new Map(),
  locks: new Map(),
  reserved: new Map(),
  signed: new Set(),
  spent: new Map(),
  transactions: new Set(),
})
