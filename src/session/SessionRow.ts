/**
 * One end of a session as the node holds it, and a message that waits for its acknowledgement.
 */
import type { PublicKey } from '../identity/PublicKey.js'
import type { SessionRole } from '../log/Message.js'
import type { SessionId } from '../log/SessionId.js'

export type SessionRow = {
  readonly seq: number
  /** The id with the role of this node's end: a party may well open a session with itself. */
  readonly key: string
  readonly id: SessionId
  readonly role: SessionRole
  readonly party: PublicKey
  /** The flow at this end; null when none could be started. */
  readonly flowSeq: number | null
  readonly fromRevision: number
  /** How many messages this end has sent. */
  readonly sent: number
  /** Set once this end has sent its last message. */
  readonly closed: boolean
  /** Set once the flow at this end has ended: nobody reads what still arrives. */
  readonly over: boolean
  /** The flow at this end has asked for the message with this number, and has read all with lower ones. */
  readonly asked: number
  /** The bytes of those that have arrived with higher ones. */
  readonly unreadBytes: number
}

/** A row in the hands of the evolver of sessions. */
export type SessionDraft = SessionRow & {
  sent: number
  closed: boolean
  over: boolean
  asked: number
  unreadBytes: number
}

/** A message that waits for its acknowledgement. */
export type OutgoingRow = {
  readonly revision: number
  readonly session: SessionId
  readonly role: SessionRole
  readonly party: PublicKey
  readonly seq: number
  /** The message as canonical text. It may be large; whoever needs the message reads it. */
  readonly text: string
}

/** Both ends of a session have the same id; this node's end is told by its role. The last digit carries it. */
export const endKey = (id: SessionId, role: SessionRole): string => `${id}${role === 'initiator' ? '0' : '1'}`
