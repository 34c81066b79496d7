/**
 * What the rules ask of the tables of sessions. Deciders get the reading half, the evolver of sessions both halves.
 */
import type { PublicKey } from '../identity/PublicKey.js'
import type { Message, Role } from '../log/Message.js'
import type { SessionId } from '../log/SessionId.js'
import type { OutgoingRow, SessionRow } from './SessionTable.js'

export interface SessionsRead {
  readonly find: (id: SessionId, role: Role) => Readonly<SessionRow> | undefined
  /** The sessions a flow has not closed yet. */
  readonly openOfFlow: (flowSeq: number) => readonly Readonly<SessionRow>[]
  /** Whether the message with a number has arrived, be it kept or not. */
  readonly hasArrived: (row: Readonly<SessionRow>, seq: number) => boolean
  /** The message with a number, if it has arrived and is kept. */
  readonly incoming: (row: Readonly<SessionRow>, seq: number) => Message | undefined
  /** Whether a message still waits for its acknowledgement. */
  readonly isOutgoing: (id: SessionId, role: Role, seq: number) => boolean
  /** The parties to whom a message still waits for its acknowledgement. */
  readonly addressees: () => readonly PublicKey[]
  /** Messages to a party that still wait for their acknowledgement, in the order they were recorded. */
  readonly outgoing: (party: PublicKey, afterRevision: number, limit: number) => readonly OutgoingRow[]
}

/** What deciders may ask of the sessions. */
export interface SessionsReadTables {
  readonly sessions: SessionsRead
}
