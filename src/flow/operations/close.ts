/**
 * Ends a session before its flow ends.
 */
import type { Role } from '../../log/Message.js'
import type { SessionId } from '../../log/SessionId.js'
import { valueAnswer } from '../Answer.js'
import { defineOperation } from '../defineOperation.js'
import { emitMessage, sessionAt } from '../sessionMessages.js'

export type Close = { readonly kind: 'close'; readonly session: SessionId; readonly role: Role }

export const close = defineOperation<Close>({
  kind: 'close',
  statesFacts: true,
  identity: ({ session, role }) => ({ session, role }),
  label: () => 'close session',
  perform: (decision, { session: id, role }) => {
    const session = sessionAt(decision, id, role)
    if (!session.closed) emitMessage(decision, session, { kind: 'end' })
    return valueAnswer(undefined)
  },
})
