/**
 * The market: two banks, a notary and an oracle, each a node that talks to the others over TLS, on a clock of their own
 * that runs a day a second and can be turned on the dashboard. While the demo is away their clock stands still; it goes
 * on from the newest instant in their logs.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { instantFromMillis, startNode, toMillis, type App, type Instant, type Node } from 'carillon'
import { ClockControl } from 'carillon/http'
import { SqliteLog } from 'carillon/logs'
import { makeNetwork } from 'carillon/network'
import { VirtualClock } from 'carillon/testing'
import { bankApp, notaryApp } from '../interest-rate-swap/app.js'
import { Offer } from '../interest-rate-swap/flows/offer.js'
import { paymentsInFolder } from '../interest-rate-swap/flows/PaymentSystem.js'
import { Announce, oracleApp } from '../interest-rate-swap/oracle/app.js'
import { ratesPanel } from '../interest-rate-swap/oracle/panel.js'
import { openSwaps, swapsPanel } from '../interest-rate-swap/panel.js'
import { repeat, type Household, type Neighbour } from './Household.js'
import { lines, ratesFor, termsFor } from './trades.js'

const names = { notary: 'Notary', oracle: 'Oracle', bankA: 'Bank A', bankB: 'Bank B' } as const
const secondsPerSecond = 86_400
const looksEveryMs = 2_000

const storeOf = (folder: string, name: string): string => join(folder, name, 'store')

/** The newest instant in the log of a store; undefined when there is none yet. */
const lastInstantIn = async (store: string): Promise<Instant | undefined> => {
  const file = join(store, 'carillon.db')
  if (!existsSync(file)) return undefined
  const log = SqliteLog.openReadOnly(file)
  try {
    const { revision } = await log.head()
    let last: Instant | undefined
    if (revision >= 0) for await (const tick of log.read(revision)) last = tick.at
    return last
  } finally {
    await log.close()
  }
}

/** This morning at the first start; later, where the logs end. */
const startOf = async (folder: string): Promise<Instant> => {
  const ends = await Promise.all(Object.values(names).map((name) => lastInstantIn(storeOf(folder, name))))
  const newest = Math.max(0, ...ends.map((end) => (end === undefined ? 0 : toMillis(end))))
  const dayMs = 86_400_000
  return instantFromMillis(newest > 0 ? newest : Math.floor(Date.now() / dayMs) * dayMs)
}

export const openMarket = async (parent: string, onTrouble: (error: unknown) => void): Promise<Household> => {
  const folder = join(parent, 'market')
  if (!existsSync(folder))
    await makeNetwork(folder, {
      members: Object.values(names).map((name) => ({
        name,
        ...(name === names.notary ? { notary: 'nonValidating' as const } : {}),
      })),
    })
  const clock = new VirtualClock(await startOf(folder))
  const nodes: Node[] = []
  const open = async (name: string, app: App): Promise<Node> => {
    const node = await startNode({ app, networkFolder: join(folder, name), store: storeOf(folder, name), clock })
    nodes.push(node)
    return node
  }
  // The notary is needed until the end, so it goes last.
  const stopNodes = async (): Promise<void> => {
    for (const node of [...nodes].reverse()) await node.stop()
  }
  try {
    const bank = bankApp({ payments: paymentsInFolder(join(folder, 'payments')) })
    const notary = await open(names.notary, notaryApp)
    const oracle = await open(names.oracle, oracleApp)
    const bankA = await open(names.bankA, bank)
    const bankB = await open(names.bankB, bank)
    const control = new ClockControl(clock, () => nodes)
    const parties = { fixedPayer: bankA.party, floatingPayer: bankB.party, oracle: oracle.party, regulators: [] }
    const traders = repeat(
      looksEveryMs,
      async () => {
        const open = new Set((await openSwaps(bankA)).map(({ common }) => common.tradeId.split(' ')[0]))
        for (const line of lines) {
          if (open.has(line.name)) continue
          const terms = termsFor(line, parties, clock.instant)
          await oracle.run(Announce, { fixes: ratesFor(terms) })
          await bankA.run(Offer, { terms })
        }
      },
      onTrouble,
    )
    control.play(secondsPerSecond)
    const neighbour = (node: Node, about: string, more: Partial<Neighbour['served']> = {}): Neighbour => ({
      served: { node, clock: control, ...more },
      store: storeOf(folder, node.party.name),
      about,
    })
    const swaps = { panels: [swapsPanel] }
    return {
      neighbours: [
        neighbour(bankA, 'swaps with Bank B, a day a second', swaps),
        neighbour(bankB, 'swaps with Bank A, a day a second', swaps),
        neighbour(oracle, 'the rates both rely on', { panels: [ratesPanel] }),
        neighbour(notary, 'lets each state be consumed once'),
      ],
      stop: async () => {
        await control.pause()
        traders.stop()
        await stopNodes()
      },
    }
  } catch (error) {
    await stopNodes()
    throw error
  }
}
