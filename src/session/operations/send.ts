/**
 * Sends plain data to the other end of a session.
 */
import { Encoded } from '../../encoding/canonical.js'
import { CarillonError } from '../../errors/CarillonError.js'
import type { SessionRole } from '../../log/Message.js'
import type { SessionId } from '../../log/SessionId.js'
import { factsAnswer } from '../../flow/Answer.js'
import { defineOperation } from '../../flow/defineOperation.js'
import { messageSent, sessionOf } from '../sessionMessages.js'
import type { SessionReads } from '../SessionReads.js'

export type Send = {
  readonly kind: 'send'
  readonly session: SessionId
  readonly role: SessionRole
  readonly party: string
  /** Canonical text. */
  readonly payload: string
}

export const send = defineOperation<Send, SessionReads>({
  kind: 'send',
  statesFacts: true,
  identity: ({ session, role, payload }) => ({ session, role, payload: new Encoded(payload) }),
  label: ({ party }) => `send to ${party}`,
  decide: (reads, operation, flow) => {
    const session = sessionOf(reads, flow, operation)
    if (session.closed)
      throw new CarillonError('session-ended', 'The session was closed by this flow; nothing more can be sent on it.', {
        session: session.id,
      })
    return factsAnswer([messageSent(session, { kind: 'data', payload: new Encoded(operation.payload) })])
  },
})
