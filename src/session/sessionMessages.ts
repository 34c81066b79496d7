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

export const sessionAt = (reads: SessionReads, id: SessionId, role: SessionRole): SessionRow => {
  const session = reads.views.sessions.find(id, role)
  if (session === undefined) throw new CarillonError('session-ended', `There is no session ${id}.`, { session: id })
  return session
}

/** The message an operation asks for, once it has arrived. */
export const messageFor = (
  reads: SessionReads,
  { session, role, seq }: { readonly session: SessionId; readonly role: SessionRole; readonly seq: number },
): Message | undefined => reads.views.sessions.incoming(sessionAt(reads, session, role), seq)

/** Tells every party a flow still talks to that it has ended, and how. */
export const endSessions = (
  reads: SessionReads,
  row: Pick<FlowRow, 'seq'>,
  ending: Extract<Message, { readonly kind: 'end' | 'error' }>,
): readonly DomainEvent[] => reads.views.sessions.openOfFlow(row.seq).map((session) => messageSent(session, ending))
