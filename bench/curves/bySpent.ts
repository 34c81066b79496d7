/**
 * A notary before which more and more states were spent.
 */
import { join } from 'node:path'
import { notaryPaces } from '../notaryPaces.js'
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
    for await (const { spent, perSecond } of notaryPaces(join(bench.folder, 'notary'), sizes, requests))
      yield { size: spent, values: { 'notarise-by-spent': { notarised: 1_000_000 / perSecond } } }
  },
}
