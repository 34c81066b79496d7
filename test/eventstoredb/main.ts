/**
 * `npm run eventstoredb:test-server`: the test server in a process of its own, for whoever wants to see what ESDB_URL does
 * without a real server. It prints a line with its address. With --with-parent it ends when its input does.
 */
import { parseArgs } from 'node:util'
import { Cluster } from './Cluster.js'

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    size: { type: 'string', default: '1' },
    'with-parent': { type: 'boolean', default: false },
  },
})
const cluster = await Cluster.start(Number(values.size), { port: Number(values.port), isDirect: true })
console.log(cluster.url('carillon').replace('&stream=carillon', ''))
if (values['with-parent']) process.stdin.resume().once('end', () => process.exit())
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit())
