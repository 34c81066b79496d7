/**
 * Ten years of the swap sample under a virtual clock: two banks, a notary, an oracle and a regulator.
 */
import { verifyLog } from 'carillon/logs'
import { runToMaturity } from '../../samples/interest-rate-swap/run/virtualRun.js'
import { context, less, type Workload } from '../Workload.js'

export const swapDecade: Workload = {
  name: 'swap-decade',
  measures:
    'The swap of the sample from offer to maturity in a virtual network of five parties, and then the log of each party verified: every hash, transaction id and signature. To be under two seconds.',
  doesNotMeasure: 'A network between the parties, which would take its time; stores on the disk.',
  durability: 'none: every store is in memory',
  seed: 'fixed: the same ids and salts every time',
  repetitions: 3,
  warmUps: 1,
  run: async ({ quick }) => {
    const startedMs = performance.now()
    const { network, isMatured } = await runToMaturity(quick ? { until: '2017-03-11' } : {})
    if (!isMatured) throw new Error('The swap has not matured.')
    const livedMs = performance.now() - startedMs
    let events = 0
    for (const name of network.names) {
      const report = await verifyLog(network.inspect(name).ticks())
      if (report.problems.length > 0) throw new Error(`The log of ${name} does not verify.`)
      events += report.events
    }
    return {
      'lived and verified': less(performance.now() - startedMs, 'ms'),
      lived: less(livedMs, 'ms'),
      events: context(events, 'events'),
    }
  },
}
