/**
 * The messages of a session, as the operations of a flow send and read them. A message is recorded first, and leaves the
 * node once that record is durable.
 */
import type { SessionReads } from './SessionReads.js'
import { canonicalText, utf8Length } from '../encoding/canonical.js'
import { CarillonError } from '../errors/CarillonError.js'
import { messageLimits } from './limits.js'
import type { Message, SessionRole, WrittenMessage } from '../log/Message.js'
import type { SessionId } from '../log/SessionId.js'
import type { DomainEvent, EventOf } from '../log/events.js'
import type { FlowId } from '../log/FlowId.js'
import type { SessionRow } from './SessionRow.js'
import type { FlowRow } from '../flow/FlowRow.js'

/** The fact that a message is to be sent; it leaves the node after the tick. */
export const messageSent = (
  { id, role, sent }: Pick<SessionRow, 'id' | 'role' | 'sent'>,
  message: WrittenMessage,
): EventOf<'MessageSent'> => {
  const bytes = utf8Length(canonicalText(message))
  if (bytes > messageLimits.messageBytes)
    throw new CarillonError(
      'fact-too-large',
      `A message of ${bytes} bytes is larger than the ${messageLimits.messageBytes} bytes one message may take. Send it in parts.`,
      { bytes },
    )
  return { type: 'MessageSent', session: id, role, seq: sent, message }
}

/** One end of a session, by its id and its role. */
export type SessionEnd = { readonly session: SessionId; readonly role: SessionRole }

const noSession = (id: SessionId): CarillonError =>
  new CarillonError('session-ended', `This flow has no session ${id}.`, { session: id })

/** A flow's own end of a session. A session of another flow is none at all: whoever knows its id learns nothing by it. */
export const sessionOf = (reads: SessionReads, flow: FlowId, { session: id, role }: SessionEnd): SessionRow => {
  const { sessions, flows } = reads.views
  const session = sessions.find(id, role)
  if (session === undefined) throw noSession(id)
  if (session.flowSeq === null || session.flowSeq !== flows.locate(flow)) throw noSession(id)
  return session
}

/** A message of a flow's own session, once it has arrived. */
export const messageFor = (
  reads: SessionReads,
  flow: FlowId,
  place: SessionEnd & { readonly seq: number },
): Message | undefined => reads.views.sessions.incoming(sessionOf(reads, flow, place), place.seq)

/** A message that a flow has been given before, from its record. */
export const recordedMessage = (
  { views: { sessions } }: SessionReads,
  { session: id, role, seq }: SessionEnd & { readonly seq: number },
): Message | undefined => {
  const session = sessions.find(id, role)
  if (session === undefined) throw noSession(id)
  return sessions.incoming(session, seq)
}

/** Tells every party a flow still talks to that it has ended, and how. */
export const endSessions = (
  reads: SessionReads,
  row: Pick<FlowRow, 'seq'>,
  ending: Extract<Message, { readonly kind: 'end' | 'error' }>,
): readonly DomainEvent[] => reads.views.sessions.openOfFlow(row.seq).map((session) => messageSent(session, ending))
