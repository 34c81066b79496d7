/**
 * Ends a session before its flow ends.
 */
import type { SessionRole } from '../../log/Message.js'
import type { SessionId } from '../../log/SessionId.js'
import { factsAnswer, valueAnswer } from '../../flow/Answer.js'
import { defineOperation } from '../../flow/defineOperation.js'
import { messageSent, sessionAt } from '../sessionMessages.js'
import type { SessionReads } from '../SessionReads.js'

export type Close = { readonly kind: 'close'; readonly session: SessionId; readonly role: SessionRole }

export const close = defineOperation<Close, SessionReads>({
  kind: 'close',
  statesFacts: true,
  identity: ({ session, role }) => ({ session, role }),
  label: () => 'close session',
  decide: (reads, { session: id, role }) => {
    const session = sessionAt(reads, id, role)
    return session.closed ? valueAnswer(undefined) : factsAnswer([messageSent(session, { kind: 'end' })])
  },
})
