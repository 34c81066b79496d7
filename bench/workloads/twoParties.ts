/**
 * Transactions of two parties and a notary: proposed, signed by both, notarised and recorded.
 */
import type { NotaryKind } from 'carillon/network'
import { Open, Turn } from '../dealApp.js'
import { inOneProcess, overTls, type ThreeNodes } from '../threeNodes.js'
import { fullDurability, more, noSeed, type Figures, type Workload } from '../Workload.js'

const inFlight = 100

/** Turns deals, so many at once, each again as soon as it is turned; transactions a second. */
const paceOf = async ({ alice, bob, stop }: ThreeNodes, count: number, chains: number): Promise<number> => {
  try {
    const deals = await Promise.all(Array.from({ length: chains }, () => alice.run(Open, { with: bob.party })))
    let left = count
    const startedMs = performance.now()
    await Promise.all(
      deals.map(async (first) => {
        for (let deal = first; left-- > 0;) deal = await alice.run(Turn, { deal, with: bob.party })
      }),
    )
    return (count / (performance.now() - startedMs)) * 1_000
  } finally {
    await stop()
  }
}

export const twoParties: Workload = {
  name: 'two-parties',
  measures: `Transactions that two parties sign and a notary signs, ${inFlight} under way, until the one who proposed has its durable result; between nodes of one process by a transport within it, and by TLS on loopback.`,
  doesNotMeasure: 'Nodes with cores of their own: all three share one thread. The latency of a real network.',
  durability: `${fullDurability}, on each of the three nodes`,
  seed: noSeed,
  repetitions: 3,
  run: async ({ quick, folder }): Promise<Figures> => {
    const count = quick ? 40 : 2_000
    const chains = quick ? 10 : inFlight
    const measure = async (name: string, open: typeof overTls, kind: NotaryKind): Promise<number> =>
      paceOf(await open(`${folder}/${name}`, kind), count, chains)
    return {
      'in process, non-validating': more(await measure('a', inOneProcess, 'nonValidating'), 'transactions/s'),
      'in process, validating': more(await measure('b', inOneProcess, 'validating'), 'transactions/s'),
      'over TLS, non-validating': more(await measure('c', overTls, 'nonValidating'), 'transactions/s'),
    }
  },
}
