/**
 * What the rules ask of the tables of sessions. Deciders get the reading half, the evolver of sessions both halves.
 */
import type { PublicKey } from '../identity/PublicKey.js'
import type { Message, SessionRole } from '../log/Message.js'
import type { SessionId } from '../log/SessionId.js'
import type { OutgoingRow, SessionDraft, SessionRow } from './SessionRow.js'

export interface SessionsRead {
  readonly find: (id: SessionId, role: SessionRole) => SessionRow | undefined
  /** The sessions a flow has not closed yet. */
  readonly openOfFlow: (flowSeq: number) => readonly SessionRow[]
  /** How many sessions a party has opened here whose flows have not ended. */
  readonly openedBy: (party: PublicKey) => number
  /** Bytes of messages that have arrived in sessions with a party whose flows have not ended, and that they have not asked for yet. */
  readonly unreadOf: (party: PublicKey) => number
  /** Whether the message with a number has arrived, be it kept or not. */
  readonly hasArrived: (row: SessionRow, seq: number) => boolean
  /** The message with a number, if it has arrived and is kept. */
  readonly incoming: (row: SessionRow, seq: number) => Message | undefined
  /** Whether a message still waits for its acknowledgement. */
  readonly isOutgoing: (id: SessionId, role: SessionRole, seq: number) => boolean
  /** The parties to whom a message still waits for its acknowledgement. */
  readonly addressees: () => readonly PublicKey[]
  /** Messages to a party that still wait for their acknowledgement, in the order they were recorded. */
  readonly outgoing: (party: PublicKey, afterRevision: number, limit: number) => readonly OutgoingRow[]
}

/** A session that was just opened. */
export type NewSession = Pick<SessionRow, 'id' | 'role' | 'party' | 'flowSeq' | 'fromRevision'>

export interface Sessions extends SessionsRead {
  readonly find: (id: SessionId, role: SessionRole) => SessionDraft | undefined
  readonly insert: (row: NewSession) => void
  /** To be called after changing a row. */
  readonly touch: (row: SessionDraft) => void
  /** Sets that this end has sent its last message. */
  readonly close: (row: SessionDraft) => void
  /** Sets that the flow at this end has ended. */
  readonly end: (row: SessionDraft) => void
  /** Whether any flow has closed a session and goes on. */
  readonly hasClosed: () => boolean
  /** The sessions that a flow has closed itself, until it ends. */
  readonly closedByFlow: (flowSeq: number) => readonly SessionDraft[]
  /** The flow at this end asks for the message with a number, and so has read those before it. */
  readonly ask: (row: SessionDraft, seq: number) => void
  readonly receive: (row: SessionDraft, seq: number, message: string) => void
  /** Keeps of a message only that it has arrived: nobody will ask for it again. */
  readonly emptyIncoming: (row: SessionRow, seq: number) => void
  readonly send: (row: SessionRow, revision: number, seq: number, message: string) => void
  readonly acknowledged: (id: SessionId, role: SessionRole, seq: number) => void
}

/** What deciders may ask of the sessions. */
export interface SessionsReadTables {
  readonly sessions: SessionsRead
}

/** What the evolver of sessions writes to. */
export interface SessionTables extends SessionsReadTables {
  readonly sessions: Sessions
}
