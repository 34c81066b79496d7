/**
 * The app of the benchmarks that ask the vault: holdings with two indexed fields, spread as if they were drawn.
 */
import * as t from 'io-ts'
import { defineApp, defineCommand, defineFlow, defineState, IntegerC, PartyC, type FlowBody, type Node } from 'carillon'

const Act = defineCommand({ type: 'bench/Act' })
export const Holding = defineState({
  type: 'bench/Holding',
  data: t.strict({ owner: PartyC, account: IntegerC, amount: IntegerC }),
  participants: ({ owner }) => [owner],
  indexed: { account: ({ account }) => account, amount: ({ amount }) => amount },
})

/** A number that looks drawn, and is the same every time. */
export const scattered = (number: number, below: number): number =>
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
export const holdingApp = defineApp({ name: 'bench', states: [Holding], flows: [Fill] })

const perFlow = 10_000

/** Produces the holdings from one number until another, spread over so many accounts. */
export const fill = async (node: Node, first: number, until: number, accounts: number): Promise<void> => {
  for (let from = first; from < until; from += perFlow)
    await node.run(Fill, { first: from, count: Math.min(perFlow, until - from), accounts })
}
