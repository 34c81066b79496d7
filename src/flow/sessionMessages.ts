/**
 * The messages of a session, as the operations of a flow send and read them. A message is recorded first, and leaves the
 * node once that record is durable.
 */
import type { Decision } from '../decision/Decision.js'
import { canonicalText, utf8Length } from '../encoding/canonical.js'
import { CarillonError } from '../errors/CarillonError.js'
import { limits } from '../limits.js'
import type { Message, Role, WrittenMessage } from '../log/Message.js'
import type { SessionId } from '../log/SessionId.js'
import type { SessionRow } from '../session/SessionRow.js'
import type { FlowRow } from './FlowRow.js'

/** Records that a message is to be sent; it is sent after the tick. */
export const emitMessage = (decision: Decision, session: SessionRow, message: WrittenMessage): void => {
  const bytes = utf8Length(canonicalText(message))
  if (bytes > limits.messageBytes)
    throw new CarillonError(
      'fact-too-large',
      `A message of ${bytes} bytes is larger than the ${limits.messageBytes} bytes one message may take. Send it in parts.`,
      { bytes },
    )
  decision.emit({ type: 'MessageSent', session: session.id, role: session.role, seq: session.sent, message })
}

export const sessionAt = (decision: Decision, id: SessionId, role: Role): SessionRow => {
  const session = decision.views.sessions.find(id, role)
  if (session === undefined) throw new CarillonError('session-ended', `There is no session ${id}.`, { session: id })
  return session
}

/** The message an operation asks for, once it has arrived. */
export const messageFor = (
  decision: Decision,
  { session, role, seq }: { readonly session: SessionId; readonly role: Role; readonly seq: number },
): Message | undefined => decision.views.sessions.incoming(sessionAt(decision, session, role), seq)

/** Tells every party a flow still talks to that it has ended, and how. */
export const endSessions = (
  decision: Decision,
  row: FlowRow,
  ending: Extract<Message, { readonly kind: 'end' | 'error' }>,
): void => {
  for (const session of decision.views.sessions.openOfFlow(row.seq)) emitMessage(decision, session, ending)
}
