/**
 * Sends plain data to the other end of a session.
 */
import { Encoded } from '../../encoding/canonical.js'
import { CarillonError } from '../../errors/CarillonError.js'
import type { Role } from '../../log/Message.js'
import type { SessionId } from '../../log/SessionId.js'
import { valueAnswer } from '../Answer.js'
import { defineOperation } from '../defineOperation.js'
import { emitMessage, sessionAt } from '../sessionMessages.js'

export type Send = {
  readonly kind: 'send'
  readonly session: SessionId
  readonly role: Role
  readonly party: string
  /** Canonical text. */
  readonly payload: string
}

export const send = defineOperation<Send>({
  kind: 'send',
  statesFacts: true,
  identity: ({ session, role, payload }) => ({ session, role, payload: new Encoded(payload) }),
  label: ({ party }) => `send to ${party}`,
  perform: (decision, { session: id, role, payload }) => {
    const session = sessionAt(decision, id, role)
    if (session.closed)
      throw new CarillonError('session-ended', 'The session was closed by this flow; nothing more can be sent on it.', {
        session: id,
      })
    emitMessage(decision, session, { kind: 'data', payload: new Encoded(payload) })
    return valueAnswer(undefined)
  },
})
