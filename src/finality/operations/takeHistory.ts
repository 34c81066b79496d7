/**
 * Takes the next message of a party that hands over history: its question is answered, its page is kept. Nothing is
 * recorded before all of it is seen to be what was asked for.
 */
import * as t from 'io-ts'
import { isLeft } from 'fp-ts/lib/Either.js'
import type { FinalityReads } from '../FinalityReads.js'
import { decodeWith } from '../../encoding/decode.js'
import { CarillonError } from '../../errors/CarillonError.js'
import { AncestorsC, HistoryC, HistoryEndC } from '../protocol.js'
import type { SessionRole } from '../../log/Message.js'
import type { SessionId } from '../../log/SessionId.js'
import { valueAnswer } from '../../flow/Answer.js'
import { defineOperation } from '../../flow/defineOperation.js'
import { endOfSession } from '../../session/endOfSession.js'
import { messageFor, messageSent, sessionOf } from '../../session/sessionMessages.js'
import type { ConsumedMessage } from '../../session/ConsumedMessage.js'

/** A message of a session, by its number. */
export type MessagePlace = {
  readonly session: SessionId
  readonly role: SessionRole
  readonly party: string
  readonly seq: number
}

export type TakeHistory = MessagePlace & {
  readonly kind: 'takeHistory'
  /** The bytes of what came so far. */
  readonly takenBytes: number
}

const HistoryMessageC = t.union([AncestorsC, HistoryC, HistoryEndC])

export const cannotBeUnderstood = (party: string, why: string): CarillonError =>
  new CarillonError('message-invalid', `What ${party} sent cannot be understood: ${why}`, { party })

export const takeHistory = defineOperation<TakeHistory, FinalityReads>({
  kind: 'takeHistory',
  statesFacts: true,
  identity: ({ session, role, seq }) => ({ session, role, seq }),
  label: ({ party }) => `receive history from ${party}`,
  decide: (reads, operation, flow) => {
    const { session, role, seq, party } = operation
    const message = messageFor(reads, flow, operation)
    if (message === undefined) return { kind: 'message', session, role, seq, untilMs: undefined }
    if (message.kind !== 'data') throw endOfSession(message, party)
    const decoded = decodeWith(HistoryMessageC, message.payload)
    if (isLeft(decoded)) throw cannotBeUnderstood(party, decoded.left.join('; '))
    const { type } = decoded.right
    const place = { session, role, seq, isLast: type === 'historyEnd' }
    const bytes = JSON.stringify(message.payload).length
    const { historyBytes } = reads.limits.session
    if (operation.takenBytes + bytes > historyBytes)
      throw new CarillonError(
        'member-budget-exceeded',
        `${party} sends more than the ${historyBytes} bytes of history that are taken for one transaction.`,
        { party, bytes: historyBytes },
      )
    const taken: ConsumedMessage = { ...place, bytes, ...(type === 'history' ? { kept: true } : {}) }
    const answer = valueAnswer(taken, taken)
    if (type !== 'ancestors') return answer
    const held = decoded.right.ids.filter((id) => reads.views.transactions.find(id) !== undefined)
    const payload = { type: 'held', ids: held }
    const events = [messageSent(sessionOf(reads, flow, operation), { kind: 'data', payload })]
    return { kind: 'facts', events, next: () => answer }
  },
})
