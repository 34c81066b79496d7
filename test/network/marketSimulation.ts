/** The market under simulation: deals and races of five parties, and what may come of their flows. */
import { plus, type StateRef } from 'carillon'
import type { Invariant, SimulationOptions, Turn } from 'carillon/testing'
import { app, Lot, Merge, Open, Quote, Turn as TurnLot } from './market.js'

const deal = async ({ node, now, chance, parties, name, start }: Turn): Promise<void> => {
  const lots = (await node.states(Lot)).map(({ ref }) => ref)
  const lot = (): StateRef => chance.pick(lots)
  const what = lots.length === 0 ? 0 : chance.below(lots.length === 1 ? 5 : 8)
  if (what < 3) {
    const others = parties.filter((party) => party.name !== name)
    const dueAt = chance.oneIn(4) ? null : plus(now, { seconds: chance.below(30) })
    await start(Open, { with: chance.some(others, chance.between(1, 2)), number: chance.below(30), dueAt })
  } else if (what < 5) await start(TurnLot, { lot: lot() })
  else {
    const [first, second] = chance.some(lots, 2)
    if (first === undefined || second === undefined) return
    if (what < 7) await start(Merge, { lots: [first, second] })
    else await start(Quote, { lot: first, quoted: second })
  }
}

/** The reasons for which a flow of the market may fail: it lost a race, or somebody said no. */
const expected = new Set(['state-consumed', 'signature-refused', 'session-ended'])

export const failsOnlyForGoodReasons: Invariant = {
  name: 'flows fail only because they lost a race or were refused',
  violations: ({ parties }) =>
    parties.flatMap(({ name, inspect }) =>
      inspect.flows({ status: 'failed', limit: 1_000 }).items.flatMap((flow) => {
        const message = flow.error?.message ?? ''
        // The first error of a chain of parties that told each other is what counts.
        const code = String(flow.error?.details?.['code'] ?? flow.error?.code)
        const told =
          code === 'counterparty-failed' &&
          ['was already consumed', 'refused to sign', 'bad number'].some((words) => message.includes(words))
        return expected.has(code) || told ? [] : [`${flow.name} of ${name} failed with ${code}: ${message}`]
      }),
    ),
}

export { app }

/** What `carillon simulate` reads beside the app. */
export const simulation: Omit<SimulationOptions, 'app'> = {
  parties: ['Ann', 'Ben', 'Cas', 'Dee', 'Eve'],
  workload: deal,
  invariants: [failsOnlyForGoodReasons],
}

export const marketSimulation: SimulationOptions = { app, ...simulation }
