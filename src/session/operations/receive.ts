/**
 * Waits for a message of a session. The message is in the log once, as it was received.
 */
import type { SessionRole } from '../../log/Message.js'
import type { SessionId } from '../../log/SessionId.js'
import { valueAnswer } from '../../flow/Answer.js'
import { defineOperation } from '../../flow/defineOperation.js'
import { untilAfter } from '../../flow/waiting.js'
import { messageFor, recordedMessage } from '../sessionMessages.js'
import type { SessionReads } from '../SessionReads.js'

export type Receive = {
  readonly kind: 'receive'
  readonly session: SessionId
  readonly role: SessionRole
  readonly party: string
  readonly seq: number
  /** How long it waits at most; undefined for as long as it takes. */
  readonly withinMs?: number | undefined
}

export const receive = defineOperation<Receive, SessionReads>({
  kind: 'receive',
  identity: ({ session, role, seq, withinMs }) => ({ session, role, seq, withinMs }),
  label: ({ party }) => `receive from ${party}`,
  decide: (reads, operation, flow) => {
    const message = messageFor(reads, flow, operation)
    if (message !== undefined) return valueAnswer(message)
    const { session, role, seq, withinMs } = operation
    return { kind: 'message', session, role, seq, untilMs: untilAfter(reads.nowMs, withinMs) }
  },
  revive: (reads, operation, { result }) => (result === null ? undefined : recordedMessage(reads, operation)),
})
