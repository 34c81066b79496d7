/**
 * Takes the next message of a party that hands over history: its question is answered, its page verified and recorded.
 * The record keeps only that the message was taken, and the message itself is not kept, so that a history may be long.
 */
import * as t from 'io-ts'
import { isLeft } from 'fp-ts/lib/Either.js'
import type { Decision } from '../decision/Decision.js'
import { decodeWith } from '../encoding/decode.js'
import { CarillonError } from '../errors/CarillonError.js'
import { AncestorsC, HistoryC, HistoryEndC } from '../finality/protocol.js'
import { recordSigned } from '../vault/recordSigned.js'
import { valueAnswer, type Answer, type Wait } from './Answer.js'
import type { FlowId } from './FlowId.js'
import type { LedgerOperation } from './LedgerOperation.js'
import { emitMessage, messageFor, sessionAt } from './performSession.js'
import { endOfSession } from './Session.js'
import type { Taken } from './Taken.js'

const SaidC = t.union([AncestorsC, HistoryC, HistoryEndC])

const deal = (decision: Decision, flow: FlowId, operation: TakeHistory, said: t.TypeOf<typeof SaidC>): void => {
  switch (said.type) {
    case 'ancestors': {
      const held = said.ids.filter((id) => decision.views.transactions.find(id) !== undefined)
      const session = sessionAt(decision, operation.session, operation.role)
      emitMessage(decision, session, { kind: 'data', payload: { type: 'held', ids: held } })
      return
    }
    case 'history':
      for (const signed of said.transactions) recordSigned(decision, signed, flow, 'history')
      return
    case 'historyEnd':
      return
  }
}

type TakeHistory = Extract<LedgerOperation, { readonly kind: 'takeHistory' }>

export const takeHistory = (decision: Decision, flow: FlowId, operation: TakeHistory): Answer | Wait => {
  const message = messageFor(decision, operation)
  if (message === undefined) return { kind: 'message', operation }
  if (message.kind !== 'data') throw endOfSession(message, operation.party)
  const said = decodeWith(SaidC, message.payload)
  if (isLeft(said))
    throw new CarillonError(
      'message-invalid',
      `What ${operation.party} sent cannot be understood: ${said.left.join('; ')}`,
      { party: operation.party },
    )
  deal(decision, flow, operation, said.right)
  const { session, role, seq } = operation
  const taken: Taken = { session, role, seq, isLast: said.right.type === 'historyEnd' }
  return valueAnswer(taken, taken)
}
