/**
 * What a notary can do in a second, and whether that depends on how much was spent before it.
 */
import type { Node, StateRef } from 'carillon'
import { Renew, Stock } from '../dealApp.js'
import { inOneProcess } from '../threeNodes.js'
import { context, fullDurability, more, noSeed, type Figure, type Workload } from '../Workload.js'

const perTransaction = 100
const inFlight = 50

type Lots = readonly (readonly StateRef[])[]

const renewAll = async (alice: Node, notary: Node, lots: Lots, rounds: number): Promise<Lots> =>
  Promise.all(
    lots.map(async (lot) => {
      let states = lot
      for (let round = 0; round < rounds; round++) states = await alice.run(Renew, { states, notary: notary.party })
      return states
    }),
  )

const show = (count: number): string => count.toLocaleString('en')

export const notarisations: Workload = {
  name: 'notarisations',
  measures: `Requests of one input each that a non-validating notary answers, ${inFlight} under way, after 10,000, 100,000 and 1,000,000 states were spent before it.`,
  doesNotMeasure:
    'The notary alone: the party that asks builds, signs and records its transactions on the same thread, so its own growing store is in the figure too.',
  durability: `${fullDurability}, at the party and at the notary`,
  seed: noSeed,
  repetitions: 1,
  run: async ({ quick, folder }) => {
    const levels = quick ? [100, 1_000] : [10_000, 100_000, 1_000_000]
    const requests = quick ? 50 : 2_000
    const { alice, notary, stop } = await inOneProcess(folder, 'nonValidating')
    try {
      const stock = async (count: number) =>
        Promise.all(Array.from({ length: inFlight }, () => alice.run(Stock, { count, notary: notary.party })))
      let single: Lots = await stock(1)
      let filled: Lots = (await stock(perTransaction)).slice(0, quick ? 1 : 10)
      let spent = 0
      const figures: Record<string, Figure> = {}
      const paces: number[] = []
      for (const level of levels) {
        const perRound = filled.length * perTransaction
        const rounds = Math.ceil((level - spent) / perRound)
        filled = await renewAll(alice, notary, filled, rounds)
        spent += rounds * perRound
        const startedMs = performance.now()
        single = await renewAll(alice, notary, single, requests / inFlight)
        const pace = (requests / (performance.now() - startedMs)) * 1_000
        spent += requests
        paces.push(pace)
        figures[`after ${show(level)} spent`] = more(pace, 'requests/s')
      }
      figures['last pace over first'] = context((paces.at(-1) ?? 0) / (paces[0] ?? 1), '×')
      return figures
    } finally {
      await stop()
    }
  },
}
