/**
 * Waits for a message of a session. The message is in the log once, as it was received.
 */
import type { SessionRole } from '../../log/Message.js'
import type { SessionId } from '../../log/SessionId.js'
import { valueAnswer } from '../../flow/Answer.js'
import { defineOperation } from '../../flow/defineOperation.js'
import { messageFor } from '../sessionMessages.js'
import type { SessionReads } from '../SessionReads.js'

export type Receive = {
  readonly kind: 'receive'
  readonly session: SessionId
  readonly role: SessionRole
  readonly party: string
  readonly seq: number
}

export const receive = defineOperation<Receive, SessionReads>({
  kind: 'receive',
  identity: ({ session, role, seq }) => ({ session, role, seq }),
  label: ({ party }) => `receive from ${party}`,
  decide: (reads, operation) => {
    const message = messageFor(reads, operation)
    if (message !== undefined) return valueAnswer(message)
    const { session, role, seq } = operation
    return { kind: 'message', session, role, seq }
  },
  revive: messageFor,
})
