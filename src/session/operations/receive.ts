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

/** The message with this number follows the one that opened the session. */
const firstSeq = 1

/** Whoever opens a session has something to say in it; a flow is not kept for one who never does. */
const longestOf = ({ limits }: SessionReads, { role, seq }: Receive): number | undefined =>
  role === 'responder' && seq === firstSeq ? limits.session.firstMessageMs : undefined

export const receive = defineOperation<Receive, SessionReads>({
  kind: 'receive',
  identity: ({ session, role, seq, withinMs }) => ({ session, role, seq, withinMs }),
  label: ({ party }) => `receive from ${party}`,
  decide: (reads, operation, flow) => {
    const message = messageFor(reads, flow, operation)
    if (message !== undefined) return valueAnswer(message)
    const { session, role, seq, withinMs = longestOf(reads, operation) } = operation
    return { kind: 'message', session, role, seq, untilMs: untilAfter(reads.nowMs, withinMs) }
  },
  revive: (reads, operation, { result }) => (result === null ? undefined : recordedMessage(reads, operation)),
})
