/**
 * One random history of five parties and a notary, all of it from a number: deals, races, crashes, partitions and
 * bad weather; then everything is mended and what came of it is judged.
 */
import { plus, type StateRef } from 'carillon'
import { seededRandom, VirtualNetwork } from 'carillon/testing'
import { judge, type Verdict } from './judge.js'
import { app, Lot, Merge, Open, Quote, Turn } from './market.js'

export const traders = ['Ann', 'Ben', 'Cas', 'Dee', 'Eve'] as const
const everyone = [...traders, 'Notary'] as const

const fair = { minLatencyMs: 1, maxLatencyMs: 50, loss: 0, duplication: 0 }

class Chance {
  readonly #random

  constructor(seed: string) {
    this.#random = seededRandom(seed)
  }

  below(count: number): number {
    return Number.parseInt(this.#random.hex(6), 16) % count
  }

  pick<A>(list: readonly A[]): A {
    const chosen = list[this.below(list.length)]
    if (chosen === undefined) throw new Error('nothing to choose from')
    return chosen
  }

  some<A>(list: readonly A[], count: number): readonly A[] {
    const left = [...list]
    return Array.from({ length: Math.min(count, left.length) }, () => left.splice(this.below(left.length), 1)).flat()
  }
}

const deal = async (network: VirtualNetwork, chance: Chance): Promise<void> => {
  const me = chance.pick(traders)
  if (!network.isRunning(me)) return
  const node = network.node(me)
  const lots = (await node.states(Lot)).map(({ ref }) => ref)
  const lot = (): StateRef => chance.pick(lots)
  const what = lots.length === 0 ? 0 : chance.below(lots.length === 1 ? 5 : 8)
  if (what < 3) {
    const others = chance.some(
      traders.filter((name) => name !== me),
      1 + chance.below(2),
    )
    const dueAt = chance.below(4) === 0 ? null : plus(network.now, { seconds: chance.below(30) })
    const input = { with: others.map((name) => network.party(name)), number: chance.below(30), dueAt }
    await node.start(Open, input)
  } else if (what < 5) await node.start(Turn, { lot: lot() })
  else {
    const [first, second] = chance.some(lots, 2)
    if (first === undefined || second === undefined) return
    if (what < 7) await node.start(Merge, { lots: [first, second] })
    else await node.start(Quote, { lot: first, quoted: second })
  }
}

const disturb = async (network: VirtualNetwork, chance: Chance): Promise<void> => {
  const victim = chance.pick(everyone)
  switch (chance.below(6)) {
    case 0:
    case 1:
      // Killed; sometimes back at once, sometimes only later.
      if (network.isRunning(victim)) await network.crash(victim)
      if (chance.below(2) === 0) await network.restart(victim)
      break
    case 2:
      for (const name of everyone) if (!network.isRunning(name)) await network.restart(name)
      break
    case 3:
      for (const name of chance.some(everyone, 3)) if (name !== victim) network.cut(victim, name)
      break
    case 4:
      network.heal()
      break
    default:
      network.transport.weather = {
        minLatencyMs: 1,
        maxLatencyMs: 1 + chance.below(3_000),
        loss: chance.below(30) / 100,
        duplication: chance.below(30) / 100,
      }
      break
  }
}

const steps = 9

export const runSeed = async (seed: number): Promise<Verdict> => {
  const chance = new Chance(`history ${seed}`)
  const notary = seed % 2 === 0 ? ('validating' as const) : ('nonValidating' as const)
  const network = await VirtualNetwork.start({
    parties: { ...Object.fromEntries(traders.map((name) => [name, { app }])), Notary: { app, notary } },
    seed: `network ${seed}`,
    weather: { minLatencyMs: 1, maxLatencyMs: 500, loss: 0.1, duplication: 0.1 },
    development: seed % 10 === 0,
  })
  for (let step = 0; step < steps; step++) {
    await deal(network, chance)
    if (chance.below(2) === 0) await disturb(network, chance)
    await network.advanceBy({ milliseconds: chance.below(4_000) })
  }
  network.heal()
  network.transport.weather = fair
  for (const name of everyone) if (!network.isRunning(name)) await network.restart(name)
  // Waits between two sends grow to a minute; a flow that waits for another may need several of them.
  await network.advanceBy({ hours: 1 })
  const verdict = await judge(network, everyone)
  for (const name of everyone) await network.stop(name)
  return verdict
}
