/**
 * Finding states among many by what they are indexed by.
 */
import * as t from 'io-ts'
import {
  defineApp,
  defineCommand,
  defineFlow,
  defineState,
  IntegerC,
  PartyC,
  startNode,
  type FlowBody,
  type Node,
  type VaultQuery,
} from 'carillon'
import { median, quantile } from '../statistics.js'
import { fullDurability, less, more, noSeed, type Figures, type Workload } from '../Workload.js'

const Act = defineCommand({ type: 'bench/Act' })
const Holding = defineState({
  type: 'bench/Holding',
  data: t.strict({ owner: PartyC, account: IntegerC, amount: IntegerC }),
  participants: ({ owner }) => [owner],
  indexed: { account: ({ account }) => account, amount: ({ amount }) => amount },
})
/** A number that looks drawn, and is the same every time. */
const scattered = (number: number, below: number): number =>
  Math.trunc((number * 2_654_435_761) % 4_294_967_296) % below

const Fill = defineFlow({
  name: 'bench/Fill',
  input: t.strict({ first: IntegerC, count: IntegerC, accounts: IntegerC }),
  *run(io, { first, count, accounts }): FlowBody<void> {
    for (let from = first; from < first + count; from += 100)
      yield* io.finalise((tx) => {
        for (let number = from; number < Math.min(from + 100, first + count); number++)
          tx.produce(Holding, {
            owner: io.me,
            account: scattered(number, accounts),
            amount: scattered(number + 7, 1_000_000),
          })
        return tx.command(Act, [io.me])
      })
  },
})
const app = defineApp({ name: 'bench', states: [Holding], flows: [Fill] })

const perFlow = 10_000

const timesOf = async (node: Node, rounds: number, queryAt: (round: number) => Omit<VaultQuery, 'type'>) => {
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
    const node = await startNode({ app, store: folder })
    const startedMs = performance.now()
    for (let first = 0; first < count; first += perFlow)
      await node.run(Fill, { first, count: Math.min(perFlow, count - first), accounts })
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
