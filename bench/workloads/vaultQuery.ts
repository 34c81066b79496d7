/**
 * Finding states among many by what they are indexed by.
 */
import { startNode, type Node, type VaultQuery } from 'carillon'
import { fill, Holding, holdingApp, scattered } from '../holdingApp.js'
import { median, quantile } from '../statistics.js'
import { fullDurability, less, more, noSeed, type Figures, type Workload } from '../Workload.js'

/** How long each of so many questions took, in milliseconds. */
export const timesOf = async (node: Node, rounds: number, queryAt: (round: number) => Omit<VaultQuery, 'type'>) => {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const startedMs = performance.now()
    await node.query(Holding, queryAt(round))
    times.push(performance.now() - startedMs)
  }
  return times
}

export const vaultQuery: Workload = {
  name: 'vault-query',
  measures:
    'A page of states found by type and an indexed field among 1,000,000, decoded, from the question to the answer; and how fast states with two indexed fields are produced.',
  doesNotMeasure: 'Questions to a node that is busy with other work, or to a disk that has yet to be read.',
  durability: fullDurability,
  seed: noSeed,
  repetitions: 1,
  run: async ({ quick, folder }): Promise<Figures> => {
    const count = quick ? 2_000 : 1_000_000
    const accounts = count / 50
    const node = await startNode({ app: holdingApp, store: folder })
    const startedMs = performance.now()
    await fill(node, 0, count, accounts)
    const producedMs = performance.now() - startedMs
    const rounds = quick ? 5 : 200
    const one = await timesOf(node, rounds, (round) => ({
      where: { field: 'account', is: scattered(round, accounts) },
    }))
    const largest = await timesOf(node, rounds, (round) => ({
      where: { field: 'amount', until: 900_000 - round },
      sort: { by: { field: 'amount' }, descending: true },
      limit: 100,
    }))
    const either = await timesOf(node, rounds, (round) => ({
      where: {
        or: [
          { field: 'account', is: scattered(round, accounts) },
          {
            and: [
              { field: 'amount', is: round },
              { field: 'account', from: 3 },
            ],
          },
        ],
      },
    }))
    await node.stop()
    return {
      'produced, two fields indexed': more((count / producedMs) * 1_000, 'states/s'),
      'by a field, p50': less(median(one), 'ms'),
      'by a field, p99': less(quantile(one, 0.99), 'ms'),
      'sorted by a field, p50': less(median(largest), 'ms'),
      'sorted by a field, p99': less(quantile(largest, 0.99), 'ms'),
      'one or the other, p50': less(median(either), 'ms'),
      'one or the other, p99': less(quantile(either, 0.99), 'ms'),
    }
  },
}
