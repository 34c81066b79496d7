/**
 * The network behind a session: a party sends a transaction from its own node and hears what came of it, however often
 * either side is restarted. The network trusts nothing about the party; what counts are the signatures.
 */
import * as t from 'io-ts'
import { isLeft } from 'fp-ts/lib/Either.js'
import { defineFlow, defineResponder, JsonC, PartyC, type Json } from 'carillon'
import type { AnyFlowDefinition, FlowBody, FlowDefinition, FlowIo } from 'carillon'
import type { NetworkApp } from './app.js'
import { ScheduleDelete } from './flows/transactions.js'
import { plain } from '../shared/plain.js'
import { ResponseC, type Response } from './model/TransactionRecord.js'

/** For the party's own app: sends a signed transaction to the network and waits for the answer. */
export const Send = defineFlow({
  name: 'scheduled-transactions/Send',
  input: t.readonly(t.strict({ network: PartyC, signed: JsonC })),
  *run(io, { network, signed }): FlowBody<Response> {
    const session = yield* io.initiate(network)
    return yield* session.sendAndReceive(signed, ResponseC)
  },
})

/** Has a transaction done by the flow that takes it; undefined when none does. */
const handle = (
  io: FlowIo,
  { ScheduleCreate, ScheduleSign, Submit }: NetworkApp['flows'],
  signed: Json,
): FlowBody<Response> | undefined => {
  const by = <I>(flow: FlowDefinition<I, Response>): FlowBody<Response> | undefined => {
    const decoded = flow.input.decode(signed)
    return isLeft(decoded) ? undefined : io.subFlow(flow, decoded.right)
  }
  return by(ScheduleCreate) ?? by(ScheduleSign) ?? by(ScheduleDelete) ?? by(Submit)
}

const notUnderstood: Response = { status: 'INVALID_TRANSACTION_BODY', handled: false }

/** For the network's app: takes what parties send. */
export const gateOf = ({ flows }: NetworkApp): AnyFlowDefinition =>
  defineResponder({
    name: 'scheduled-transactions/Gate',
    respondsTo: Send,
    *run(io, session): FlowBody<void> {
      const handled = handle(io, flows, yield* session.receive(JsonC))
      yield* session.send(plain(handled === undefined ? notUnderstood : yield* handled))
    },
  })
