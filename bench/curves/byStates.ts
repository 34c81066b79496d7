/**
 * Asking the vault while it holds more and more states.
 */
import { join } from 'node:path'
import { startNode } from 'carillon'
import { fill, holdingApp, scattered } from '../holdingApp.js'
import { median, quantile } from '../statistics.js'
import { timesOf } from '../workloads/vaultQuery.js'
import type { Sweep } from './Sweep.js'

const perAccount = 50

export const byStates: Sweep = {
  name: 'states',
  of: 'states in the vault',
  charts: {
    'query-by-states': {
      title: 'A page of states by an indexed field, among so many',
      unit: 'ms',
      series: ['by a field', 'by a field, p99', 'sorted by a field'],
    },
  },
  async *points(bench, sizes) {
    const rounds = bench.quick ? 5 : 300
    const node = await startNode({ app: holdingApp, store: join(bench.folder, 'holdings') })
    let filled = 0
    for (const size of sizes) {
      const accounts = Math.ceil(size / perAccount)
      await fill(node, filled, size, accounts)
      filled = size
      const one = await timesOf(node, rounds, (round) => ({
        where: { field: 'account', is: scattered(round, accounts) },
      }))
      const sorted = await timesOf(node, rounds, (round) => ({
        where: { field: 'amount', until: 900_000 - round },
        sort: { by: { field: 'amount' }, descending: true },
        limit: 100,
      }))
      yield {
        size,
        values: {
          'query-by-states': {
            'by a field': median(one),
            'by a field, p99': quantile(one, 0.99),
            'sorted by a field': median(sorted),
          },
        },
      }
    }
    await node.stop()
  },
}
