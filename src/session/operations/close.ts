/**
 * Ends a session before its flow ends.
 */
import type { SessionRole } from '../../log/Message.js'
import type { SessionId } from '../../log/SessionId.js'
import { factsAnswer, valueAnswer } from '../../flow/Answer.js'
import { defineOperation } from '../../flow/defineOperation.js'
import { messageSent, sessionOf } from '../sessionMessages.js'
import type { SessionReads } from '../SessionReads.js'

export type Close = { readonly kind: 'close'; readonly session: SessionId; readonly role: SessionRole }

export const close = defineOperation<Close, SessionReads>({
  kind: 'close',
  statesFacts: true,
  identity: ({ session, role }) => ({ session, role }),
  label: () => 'close session',
  decide: (reads, operation, flow) => {
    const session = sessionOf(reads, flow, operation)
    return session.closed ? valueAnswer(undefined) : factsAnswer([messageSent(session, { kind: 'end' })])
  },
})
