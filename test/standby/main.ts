/**
 * `npm run test:standby`: kills and stops the leaders of a node on PostgreSQL for as long as it is told, under load, and
 * judges the log. With PG_URL set, on that server.
 */
import { parseArgs } from 'node:util'
import { PostgresServer } from '../postgres/PostgresServer.js'
import { judge } from './judge.js'
import { NodeProcesses } from './NodeProcesses.js'

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '5' }, lease: { type: 'string', default: '2000' } },
})
const server = process.env['PG_URL'] === undefined ? await PostgresServer.start({ flags: [] }) : undefined
const address = new URL(server?.url ?? process.env['PG_URL'] ?? '')
address.searchParams.set('schema', `carillon_standby_${Date.now()}`)
const processes = new NodeProcesses(address.href, Number(values.lease))
const times: number[] = []
try {
  for (let index = 0; index < 3; index++) processes.start()
  const end = performance.now() + Number(values.minutes) * 60_000
  while (performance.now() < end) {
    const signal = times.length % 2 === 0 ? 'SIGKILL' : 'SIGSTOP'
    const tookMs = await processes.replaceLeader(signal)
    times.push(tookMs)
    console.log(`${signal}: another process leads after ${Math.round(tookMs)} ms`)
    await processes.acknowledgedMore(20)
  }
} finally {
  await processes.end()
}
const { problems, events, starts, terms } = await judge(address.href, processes.acknowledged)
await server?.remove()
const sorted = [...times].sort((one, other) => one - other)
const at = (part: number): number => Math.round(sorted[Math.floor((sorted.length - 1) * part)] ?? 0)
console.log(
  `${times.length} leaders replaced (lease ${values.lease} ms): median ${at(0.5)} ms, worst ${at(1)} ms. ` +
    `${terms} terms, ${events} events, ${starts} activities started once each, ${processes.acknowledged.length} notes acknowledged.`,
)
for (const problem of problems) console.error(problem)
process.exit(problems.length === 0 ? 0 : 1)
