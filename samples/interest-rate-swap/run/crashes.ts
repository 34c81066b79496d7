/**
 * A short trade whose parties crash at random moments, and what comes of it. The same seed is the same run.
 */
import { instant, instantFromMillis, plus, type Instant } from 'carillon'
import { seededRandom, type VirtualNetwork } from 'carillon/testing'
import { PaymentsInMemory, type Instruction } from '../flows/PaymentSystem.js'
import { agree, announce, names, partiesOf, startSwapNetwork } from '../network.js'
import type { Calculation } from '../schedule.js'
import { exampleRates, exampleTrade } from '../trades.js'
import { latestSwap } from './virtualRun.js'

const crashesUntil = instant('2017-09-20T00:00:00Z')
const end = instant('2017-12-01T00:00:00Z')

/** What comes of a trade: its flows and what was paid, as each party holds it, and what the payment system has seen. */
export type Outcome = {
  readonly held: Readonly<Record<string, { readonly calculation: Calculation; readonly isOver: boolean } | undefined>>
  readonly payments: readonly Instruction[]
}

const outcomeOf = async (network: VirtualNetwork, payments: PaymentsInMemory): Promise<Outcome> => {
  const held: Record<string, Outcome['held'][string]> = {}
  for (const name of [names.fixedPayer, names.floatingPayer, names.regulator]) {
    const standing = await latestSwap(network.node(name))
    held[name] =
      standing === undefined ? undefined : { calculation: standing.swap.calculation, isOver: standing.isOver }
  }
  return { held, payments: payments.made }
}

/** Crashes some parties in the middle of whatever comes next, and starts them again after a while. Gives how many. */
const crashInTheMiddle = async (network: VirtualNetwork, draw: (below: number) => number): Promise<number> => {
  const next = network.clock.nextWakeMs()
  const from: Instant = next === undefined ? network.now : instantFromMillis(Math.max(next, network.clock.now()))
  // An exchange between the parties takes some tenths of a second in this weather.
  await network.advanceTo(plus(from, { milliseconds: draw(600) }))
  const victims = Object.values(names).filter(() => draw(4) === 0)
  for (const name of victims) await network.crash(name)
  await network.advanceBy({ minutes: [0, 1, 10, 240, 1_200][draw(5)] ?? 0 })
  for (const name of victims) await network.restart(name)
  return victims.length
}

/** Runs the short trade to its end; with a seed, parties crash on the way. */
export const runWithCrashes = async (seed?: string): Promise<Outcome & { readonly crashes: number }> => {
  const payments = new PaymentsInMemory()
  const network = await startSwapNetwork({
    seed: seed ?? 'calm',
    bank: { payments },
    development: false,
    weather: { minLatencyMs: 1, maxLatencyMs: 30, loss: 0, duplication: 0 },
  })
  await announce(network, exampleRates)
  await agree(network, exampleTrade(partiesOf(network), '2017-09-11'))
  const random = seededRandom(`crashes ${seed ?? ''}`)
  const draw = (below: number): number => Number.parseInt(random.hex(4), 16) % below
  let crashes = 0
  while (seed !== undefined && network.now < crashesUntil) crashes += await crashInTheMiddle(network, draw)
  await network.advanceTo(end)
  return { ...(await outcomeOf(network, payments)), crashes }
}
