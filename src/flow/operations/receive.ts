/**
 * Waits for a message of a session. The message is in the log once, as it was received.
 */
import type { Role } from '../../log/Message.js'
import type { SessionId } from '../../log/SessionId.js'
import { valueAnswer } from '../Answer.js'
import { defineOperation } from '../defineOperation.js'
import { messageFor } from '../sessionMessages.js'

export type Receive = {
  readonly kind: 'receive'
  readonly session: SessionId
  readonly role: Role
  readonly party: string
  readonly seq: number
}

export const receive = defineOperation<Receive>({
  kind: 'receive',
  identity: ({ session, role, seq }) => ({ session, role, seq }),
  label: ({ party }) => `receive from ${party}`,
  perform: (decision, operation) => {
    const message = messageFor(decision, operation)
    if (message !== undefined) return valueAnswer(message)
    const { session, role, seq } = operation
    return { kind: 'message', session, role, seq }
  },
  revive: messageFor,
})
