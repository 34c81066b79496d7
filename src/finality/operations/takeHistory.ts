/**
 * Takes the next message of a party that hands over history: its question is answered, its page verified and recorded.
 * The record keeps only that the message was taken, and the message itself is not kept, so that a history may be long.
 */
import * as t from 'io-ts'
import { isLeft } from 'fp-ts/lib/Either.js'
import type { FinalityReads } from '../FinalityReads.js'
import { decodeWith } from '../../encoding/decode.js'
import { CarillonError } from '../../errors/CarillonError.js'
import { AncestorsC, HistoryC, HistoryEndC } from '../protocol.js'
import type { SessionRole } from '../../log/Message.js'
import type { SessionId } from '../../log/SessionId.js'
import { recordSigned } from '../recordSigned.js'
import { oneByOne, valueAnswer, type Answer, type Decided } from '../../flow/Answer.js'
import { defineOperation } from '../../flow/defineOperation.js'
import type { FlowId } from '../../log/FlowId.js'
import { endOfSession } from '../../session/endOfSession.js'
import { messageFor, messageSent, sessionAt } from '../../session/sessionMessages.js'
import type { ConsumedMessage } from '../../session/ConsumedMessage.js'

export type TakeHistory = {
  readonly kind: 'takeHistory'
  readonly session: SessionId
  readonly role: SessionRole
  readonly party: string
  readonly seq: number
}

const HistoryMessageC = t.union([AncestorsC, HistoryC, HistoryEndC])
type HistoryMessage = t.TypeOf<typeof HistoryMessageC>

const take = (
  reads: FinalityReads,
  { session, role }: TakeHistory,
  message: HistoryMessage,
  flow: FlowId,
  taken: Answer,
): Decided => {
  switch (message.type) {
    case 'ancestors': {
      const held = message.ids.filter((id) => reads.views.transactions.find(id) !== undefined)
      const payload = { type: 'held', ids: held }
      const events = [messageSent(sessionAt(reads, session, role), { kind: 'data', payload })]
      return { kind: 'facts', events, next: () => taken }
    }
    case 'history':
      return oneByOne(
        message.transactions,
        (signed) => recordSigned(reads, signed, flow, 'history').events,
        () => taken,
      )
    case 'historyEnd':
      return taken
  }
}

export const takeHistory = defineOperation<TakeHistory, FinalityReads>({
  kind: 'takeHistory',
  statesFacts: true,
  identity: ({ session, role, seq }) => ({ session, role, seq }),
  label: ({ party }) => `receive history from ${party}`,
  decide: (reads, operation, flow) => {
    const { session, role, seq, party } = operation
    const message = messageFor(reads, operation)
    if (message === undefined) return { kind: 'message', session, role, seq }
    if (message.kind !== 'data') throw endOfSession(message, party)
    const decoded = decodeWith(HistoryMessageC, message.payload)
    if (isLeft(decoded))
      throw new CarillonError(
        'message-invalid',
        `What ${party} sent cannot be understood: ${decoded.left.join('; ')}`,
        { party },
      )
    const taken: ConsumedMessage = { session, role, seq, isLast: decoded.right.type === 'historyEnd' }
    return take(reads, operation, decoded.right, flow, valueAnswer(taken, taken))
  },
})
