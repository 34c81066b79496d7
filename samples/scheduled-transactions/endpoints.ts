/**
 * The network over HTTP, below `/api/v1/app/`: each address is a flow, which decides everything. A token lets somebody
 * knock; what counts for a transaction are its signatures.
 */
import * as t from 'io-ts'
import { JsonC, type Json, type Node } from 'carillon'
import { defineEndpoint, type Endpoint } from 'carillon/http'
import { parseTransactionID, ScheduleIDC } from './model/ids.js'
import { plain } from '../shared/plain.js'

/** What a flow of the network answers. */
const ask = async (node: Node, flow: string, input: Json, by: string): Promise<Json> =>
  plain(await (await node.startByName(`scheduled-transactions/${flow}`, input, { by })).result())

/** A signed transaction goes in, and what came of it comes out. */
const transaction = (path: string, flow: string, summary: string): Endpoint =>
  defineEndpoint({
    ...{ method: 'POST', path, summary, body: JsonC, answer: JsonC },
    handle: ({ node, body, by }) => ask(node, flow, body, by),
  })

const question = <Q extends object>(
  path: string,
  flow: string,
  summary: string,
  query: t.Type<Q, unknown>,
  inputOf: (query: Q) => object = (asked) => ({ ...asked }),
): Endpoint =>
  defineEndpoint({
    ...{ method: 'GET', path, summary, query, answer: JsonC },
    handle: ({ node, query: asked, by }) => ask(node, flow, plain(inputOf(asked)), by),
  })

const SecondC = t.refinement(t.string, (text) => /^\d{1,15}$/.test(text), 'Whole')
const RecordIDC = t.refinement(t.string, (text) => parseTransactionID(text) !== undefined, 'TransactionID')
const ofSchedule = t.strict({ schedule: ScheduleIDC })
const ofRecord = t.strict({ id: RecordIDC })
const ofSecond = t.strict({ second: SecondC, kind: t.string })

export const endpoints: readonly Endpoint[] = [
  transaction('schedules/create', 'ScheduleCreate', 'schedule a transaction'),
  transaction('schedules/sign', 'ScheduleSign', 'add signatures to a schedule'),
  transaction('schedules/delete', 'ScheduleDelete', 'take a schedule back'),
  transaction('transactions', 'Submit', 'submit any other transaction'),
  transaction('schedules/info', 'ScheduleGetInfo', 'get info, with a header that pays for it'),
  question('schedules/info', 'ScheduleGetInfo', 'get info', ofSchedule),
  question('schedules/history', 'ScheduleGetHistory', 'how a schedule ended', ofSchedule),
  question('records', 'GetRecord', 'the record of a transaction', ofRecord, ({ id }) => ({
    transactionID: parseTransactionID(id),
  })),
  question('schedules/capacity', 'GetCapacity', 'what a second to come has room for', ofSecond, (asked) => ({
    ...asked,
    second: Number(asked.second),
  })),
]
