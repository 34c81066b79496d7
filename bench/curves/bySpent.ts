/**
 * A notary before which more and more states were spent.
 */
import { notaryPace } from '../notaryPace.js'
import type { Sweep } from './Sweep.js'

export const bySpent: Sweep = {
  name: 'spent',
  of: 'states spent before the notary',
  charts: {
    'notarise-by-spent': {
      title: 'One notarised transaction, with both its nodes, after so many',
      unit: 'µs',
      series: ['notarised'],
    },
  },
  async *points(bench, sizes) {
    const requests = bench.quick ? 50 : 2_000
    for (const size of sizes)
      yield {
        size,
        values: { 'notarise-by-spent': { notarised: 1_000_000 / (await notaryPace(bench, size, requests)) } },
      }
  },
}
