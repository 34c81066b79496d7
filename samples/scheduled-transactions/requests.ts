/**
 * Everything that can be asked of the network from outside, as a table: where, what goes in, what comes out, and the
 * flow that answers. Whatever serves it, be it a command line or a web server, adds nothing of its own.
 */
import * as t from 'io-ts'
import { JsonC, type Json, type Node } from 'carillon'
import { isLeft } from 'fp-ts/lib/Either.js'
import { ResponseC } from './gate.js'
import { ResponseCodeC } from './model/ResponseCode.js'

export type Request = {
  readonly method: 'GET' | 'POST'
  /** Below the place where the network is served. */
  readonly path: string
  readonly summary: string
  readonly flow: string
  readonly answer: t.Decoder<unknown, unknown>
}

const AnswerC = t.intersection([t.strict({ status: ResponseCodeC }), t.record(t.string, JsonC)])
const flow = (name: string): string => `scheduled-transactions/${name}`

export const requests: readonly Request[] = [
  {
    method: 'POST',
    path: 'schedules/create',
    summary: 'schedule a transaction',
    flow: flow('ScheduleCreate'),
    answer: ResponseC,
  },
  {
    method: 'POST',
    path: 'schedules/sign',
    summary: 'add signatures to a schedule',
    flow: flow('ScheduleSign'),
    answer: ResponseC,
  },
  {
    method: 'POST',
    path: 'schedules/delete',
    summary: 'take a schedule back',
    flow: flow('ScheduleDelete'),
    answer: ResponseC,
  },
  {
    method: 'POST',
    path: 'transactions',
    summary: 'submit any other transaction',
    flow: flow('Submit'),
    answer: ResponseC,
  },
  { method: 'GET', path: 'schedules/info', summary: 'get info', flow: flow('ScheduleGetInfo'), answer: AnswerC },
  {
    method: 'GET',
    path: 'schedules/history',
    summary: 'how a schedule ended, or that it has not',
    flow: flow('ScheduleGetHistory'),
    answer: AnswerC,
  },
  { method: 'GET', path: 'records', summary: 'the record of a transaction', flow: flow('GetRecord'), answer: AnswerC },
  {
    method: 'GET',
    path: 'schedules/capacity',
    summary: 'what a second to come has room for',
    flow: flow('GetCapacity'),
    answer: JsonC,
  },
]

/** Asks a node; an answer is what the flow returned. Throws the flow's own error when the input does not fit it. */
export const answerRequest = async (node: Node, request: Request, input: Json, by: string): Promise<unknown> => {
  const handle = await node.startByName(request.flow, input, { by })
  const answer = request.answer.decode(await handle.result())
  if (isLeft(answer)) throw new Error(`${request.flow} answered something that ${request.path} does not promise.`)
  return answer.right
}
