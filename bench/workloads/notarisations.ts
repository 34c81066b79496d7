/**
 * What a notary can do in a second, and whether that depends on how much was spent before it.
 */
import { notaryPaces, requestsInFlight } from '../notaryPaces.js'
import { context, fullDurability, more, noSeed, type Figure, type Workload } from '../Workload.js'

export const notarisations: Workload = {
  name: 'notarisations',
  measures: `Requests of one input each that a non-validating notary answers, ${requestsInFlight} under way, after 10,000, 100,000 and 1,000,000 states were spent before it.`,
  doesNotMeasure:
    'The notary alone: the party that asks builds, signs and records its transactions on the same thread, so its own growing store is in the figure too.',
  durability: `${fullDurability}, at the party and at the notary`,
  seed: noSeed,
  repetitions: 1,
  run: async ({ quick, folder }) => {
    const levels = quick ? [100, 1_000] : [10_000, 100_000, 1_000_000]
    const figures: Record<string, Figure> = {}
    const paces: number[] = []
    for await (const { spent, perSecond } of notaryPaces(folder, levels, quick ? 50 : 2_000)) {
      paces.push(perSecond)
      figures[`after ${spent.toLocaleString('en')} spent`] = more(perSecond, 'requests/s')
    }
    return { ...figures, 'last pace over first': context((paces.at(-1) ?? 0) / (paces[0] ?? 1), '×') }
  },
}
