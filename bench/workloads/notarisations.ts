/**
 * What a notary can do in a second, and whether that depends on how much was spent before it.
 */
import { notaryPace, requestsInFlight } from '../notaryPace.js'
import { context, fullDurability, inWords, more, noSeed, sizesUpTo, type Figure, type Workload } from '../Workload.js'

export const notarisations: Workload = {
  name: 'notarisations',
  measures: `Requests of one input each that a non-validating notary answers, ${requestsInFlight} under way, after 10,000 states were spent before it, and ten times as many up to --largest.`,
  doesNotMeasure:
    'The notary alone: the party that asks builds, signs and records its transactions on the same thread, so its own growing store is in the figure too. The first answers of a process, until its code is compiled.',
  durability: `${fullDurability}, at the party and at the notary`,
  seed: noSeed,
  repetitions: 1,
  run: async (bench) => {
    const figures: Record<string, Figure> = {}
    const paces: number[] = []
    for (const spent of bench.quick ? [100, 1_000] : sizesUpTo(bench, 10_000)) {
      const perSecond = await notaryPace(bench, spent, bench.quick ? 50 : 2_000)
      paces.push(perSecond)
      figures[`after ${inWords(spent)} spent`] = more(perSecond, 'requests/s')
    }
    return { ...figures, 'last pace over first': context((paces.at(-1) ?? 0) / (paces[0] ?? 1), '×') }
  },
}
