/**
 * The operations of a session. What is sent is stated as a fact, and leaves the node once that fact is durable.
 */
import type { Decision } from '../decision/Decision.js'
import { canonicalText, Encoded, utf8Length } from '../encoding/canonical.js'
import { CarillonError } from '../errors/CarillonError.js'
import { limits } from '../limits.js'
import type { Message, Role, WrittenMessage } from '../session/Message.js'
import type { SessionId } from '../session/SessionId.js'
import type { SessionRow } from '../session/SessionTable.js'
import { valueAnswer, type Answer, type Wait } from './Answer.js'
import type { FlowId } from './FlowId.js'
import type { FlowRow } from './FlowRow.js'
import type { Operation } from './Operation.js'

type SessionOperation = Extract<Operation, { readonly kind: 'initiate' | 'send' | 'receive' | 'close' }>

/** States that a message is to be sent; it is on its way after the tick. */
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

const initiate = (
  decision: Decision,
  flow: FlowId,
  operation: Extract<Operation, { readonly kind: 'initiate' }>,
): Answer => {
  const member = decision.network.member(operation.party.key)
  if (member === undefined) {
    throw new CarillonError(
      'party-unknown',
      `${operation.party.name} is not in this node's network map. Add it, or check the name and key.`,
      { party: operation.party.name },
    )
  }
  decision.emit({
    type: 'SessionOpened',
    session: operation.session,
    role: 'initiator',
    party: operation.party.key,
    flow,
  })
  emitMessage(decision, sessionAt(decision, operation.session, 'initiator'), {
    kind: 'open',
    flow: operation.flow,
    version: operation.version,
    nonce: operation.nonce,
  })
  return valueAnswer(undefined)
}

const send = (decision: Decision, operation: Extract<Operation, { readonly kind: 'send' }>): Answer => {
  const session = sessionAt(decision, operation.session, operation.role)
  if (session.closed)
    throw new CarillonError('session-ended', 'The session was closed by this flow; nothing more can be sent on it.', {
      session: operation.session,
    })
  emitMessage(decision, session, { kind: 'data', payload: new Encoded(operation.payload) })
  return valueAnswer(undefined)
}

/** The message a receive asks for, once it has arrived. */
export const messageFor = (
  decision: Decision,
  operation: Extract<Operation, { readonly kind: 'receive' | 'takeHistory' }>,
): Message | undefined =>
  decision.views.sessions.incoming(sessionAt(decision, operation.session, operation.role), operation.seq)

const close = (decision: Decision, operation: Extract<Operation, { readonly kind: 'close' }>): Answer => {
  const session = sessionAt(decision, operation.session, operation.role)
  if (!session.closed) emitMessage(decision, session, { kind: 'end' })
  return valueAnswer(undefined)
}

export const performSession = (decision: Decision, flow: FlowId, operation: SessionOperation): Answer | Wait => {
  switch (operation.kind) {
    case 'initiate':
      return initiate(decision, flow, operation)
    case 'send':
      return send(decision, operation)
    case 'receive': {
      const message = messageFor(decision, operation)
      return message === undefined ? { kind: 'message', operation } : valueAnswer(message)
    }
    case 'close':
      return close(decision, operation)
  }
}

/** Tells every party a flow still talks to that it has ended, and how. */
export const endSessions = (
  decision: Decision,
  row: FlowRow,
  ending: Extract<Message, { readonly kind: 'end' | 'error' }>,
): void => {
  for (const session of decision.views.sessions.openOfFlow(row.seq)) emitMessage(decision, session, ending)
}
