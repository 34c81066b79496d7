/**
 * The network behind a session: a party sends a transaction from its own node and hears what came of it, however often
 * either side is restarted. The network trusts nothing about the party; what counts are the signatures.
 */
import * as t from 'io-ts'
import { isLeft } from 'fp-ts/lib/Either.js'
import {
  defineFlow,
  defineResponder,
  JsonC,
  PartyC,
  type AnyFlowDefinition,
  type FlowBody,
  type FlowIo,
  type Json,
} from 'carillon'
import type { NetworkApp } from './app.js'
import { ScheduleDelete } from './flows/transactions.js'
import { plain } from './model/plain.js'
import {
  SignedScheduleCreateC,
  SignedScheduleDeleteC,
  SignedScheduleSignC,
  SignedTransactionC,
} from './model/TransactionBody.js'
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

const notUnderstood: Response = { status: 'INVALID_TRANSACTION_BODY', handled: false }

const handle = function* (
  io: FlowIo,
  { ScheduleCreate, ScheduleSign, Submit }: NetworkApp['flows'],
  signed: Json,
): FlowBody<Response> {
  const any = SignedTransactionC.decode(signed)
  if (isLeft(any)) return notUnderstood
  const create = SignedScheduleCreateC.decode(signed)
  if (!isLeft(create)) return yield* io.subFlow(ScheduleCreate, create.right)
  const sign = SignedScheduleSignC.decode(signed)
  if (!isLeft(sign)) return yield* io.subFlow(ScheduleSign, sign.right)
  const deletion = SignedScheduleDeleteC.decode(signed)
  if (!isLeft(deletion)) return yield* io.subFlow(ScheduleDelete, deletion.right)
  return yield* io.subFlow(Submit, any.right)
}

/** For the network's app: takes what parties send. */
export const gateOf = ({ flows }: NetworkApp): AnyFlowDefinition =>
  defineResponder({
    name: 'scheduled-transactions/Gate',
    respondsTo: Send,
    *run(io, session): FlowBody<void> {
      const signed = yield* session.receive(JsonC)
      yield* session.send(plain(yield* handle(io, flows, signed)))
    },
  })
