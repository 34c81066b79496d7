/**
 * Takes the next message of a party that hands over history: its question is answered, its page verified and recorded.
 * The record keeps only that the message was taken, and the message itself is not kept, so that a history may be long.
 */
import * as t from 'io-ts'
import { isLeft } from 'fp-ts/lib/Either.js'
import type { Decision } from '../../decision/Decision.js'
import { decodeWith } from '../../encoding/decode.js'
import { CarillonError } from '../../errors/CarillonError.js'
import { AncestorsC, HistoryC, HistoryEndC } from '../../finality/protocol.js'
import type { Role } from '../../log/Message.js'
import type { SessionId } from '../../log/SessionId.js'
import { recordSigned } from '../../vault/recordSigned.js'
import { valueAnswer } from '../Answer.js'
import { defineOperation } from '../defineOperation.js'
import type { FlowId } from '../../log/FlowId.js'
import { endOfSession } from '../Session.js'
import { emitMessage, messageFor, sessionAt } from '../sessionMessages.js'
import type { Taken } from '../Taken.js'

export type TakeHistory = {
  readonly kind: 'takeHistory'
  readonly session: SessionId
  readonly role: Role
  readonly party: string
  readonly seq: number
}

const HistoryMessageC = t.union([AncestorsC, HistoryC, HistoryEndC])
type HistoryMessage = t.TypeOf<typeof HistoryMessageC>

const take = (decision: Decision, { session, role }: TakeHistory, message: HistoryMessage, flow: FlowId): void => {
  switch (message.type) {
    case 'ancestors': {
      const held = message.ids.filter((id) => decision.views.transactions.find(id) !== undefined)
      const row = sessionAt(decision, session, role)
      emitMessage(decision, row, { kind: 'data', payload: { type: 'held', ids: held } })
      return
    }
    case 'history':
      for (const signed of message.transactions) recordSigned(decision, signed, flow, 'history')
      return
    case 'historyEnd':
      return
  }
}

export const takeHistory = defineOperation<TakeHistory>({
  kind: 'takeHistory',
  statesFacts: true,
  identity: ({ session, role, seq }) => ({ session, role, seq }),
  label: ({ party }) => `receive history from ${party}`,
  perform: (decision, operation, flow) => {
    const { session, role, seq, party } = operation
    const message = messageFor(decision, operation)
    if (message === undefined) return { kind: 'message', session, role, seq }
    if (message.kind !== 'data') throw endOfSession(message, party)
    const decoded = decodeWith(HistoryMessageC, message.payload)
    if (isLeft(decoded))
      throw new CarillonError(
        'message-invalid',
        `What ${party} sent cannot be understood: ${decoded.left.join('; ')}`,
        { party },
      )
    take(decision, operation, decoded.right, flow)
    const taken: Taken = { session, role, seq, isLast: decoded.right.type === 'historyEnd' }
    return valueAnswer(taken, taken)
  },
})
