/**
 * The network over HTTP, below `/api/v1/app/`: each address is a flow, which decides everything. A token lets somebody
 * knock; what counts for a transaction are its signatures.
 */
import * as t from 'io-ts'
import { JsonC, type Json } from 'carillon'
import { defineEndpoint, type Endpoint } from 'carillon/http'
import { parseTransactionID, ScheduleIDC } from './model/ids.js'
import { plain } from './model/plain.js'

const flow = (name: string): string => `scheduled-transactions/${name}`

/** A signed transaction goes in, and what came of it comes out. */
const transactions = (path: string, name: string, summary: string): Endpoint =>
  defineEndpoint({
    method: 'POST',
    path,
    summary,
    body: JsonC,
    answer: JsonC,
    handle: async ({ node, body, by }) => plain(await (await node.startByName(flow(name), body, { by })).result()),
  })

const question = <Q>(
  path: string,
  name: string,
  summary: string,
  query: t.Type<Q, unknown>,
  inputOf: (query: Q) => Json,
): Endpoint =>
  defineEndpoint({
    method: 'GET',
    path,
    summary,
    query,
    answer: JsonC,
    handle: async ({ node, query: asked, by }) =>
      plain(await (await node.startByName(flow(name), inputOf(asked), { by })).result()),
  })

const aboutSchedule = t.strict({ schedule: ScheduleIDC })
const WholeC = t.refinement(t.string, (text) => /^\d{1,15}$/.test(text), 'Whole')
const RecordIDC = t.refinement(t.string, (text) => parseTransactionID(text) !== undefined, 'TransactionID')

export const endpoints: readonly Endpoint[] = [
  transactions('schedules/create', 'ScheduleCreate', 'schedule a transaction'),
  transactions('schedules/sign', 'ScheduleSign', 'add signatures to a schedule'),
  transactions('schedules/delete', 'ScheduleDelete', 'take a schedule back'),
  transactions('transactions', 'Submit', 'submit any other transaction'),
  transactions('schedules/info', 'ScheduleGetInfo', 'get info, with a header that pays for it'),
  question('schedules/info', 'ScheduleGetInfo', 'get info', aboutSchedule, ({ schedule }) => ({ schedule })),
  question('schedules/history', 'ScheduleGetHistory', 'how a schedule ended', aboutSchedule, ({ schedule }) => ({
    schedule,
  })),
  question('records', 'GetRecord', 'the record of a transaction', t.strict({ id: RecordIDC }), ({ id }) => ({
    transactionID: plain(parseTransactionID(id)),
  })),
  question(
    'schedules/capacity',
    'GetCapacity',
    'what a second to come has room for',
    t.strict({ second: WholeC, kind: t.string }),
    ({ second, kind }) => ({ second: Number(second), kind }),
  ),
]
