/**
 * Ten years in seconds: the example trade under a virtual clock, from the offer to maturity.
 */
import { instant, plus, type Instant, type Node, type StateRef } from 'carillon'
import type { VirtualNetwork } from 'carillon/testing'
import { agree, announce, names, partiesOf, startSwapNetwork, type SwapNetworkOptions } from '../network.js'
import type { Fix } from '../oracle/Fix.js'
import { Swap } from '../swap/Swap.js'
import type { SwapData } from '../swap/SwapKind.js'
import { maturityInstant } from '../swap/events.js'
import type { Terms } from '../terms/Terms.js'
import { exampleRates, exampleTrade, type Parties } from '../trades.js'

export type Standing = { readonly swap: SwapData; readonly isOver: boolean }

/** The newest state of the trade that a node holds: the open one, or the last before it matured. */
export const latestSwap = async (node: Node): Promise<Standing | undefined> => {
  const [open] = await node.states(Swap, { includeIrrelevant: true })
  if (open !== undefined) return { swap: open.data, isOver: false }
  const last = (await node.states(Swap, { status: 'all', includeIrrelevant: true, limit: 1_000 })).at(-1)
  return last === undefined ? undefined : { swap: last.data, isOver: true }
}

export type RunOptions = SwapNetworkOptions & {
  readonly trade?: (parties: Parties) => Terms
  readonly rates?: readonly Fix[]
  /** Told how the swap stands, a few times a year. */
  readonly onProgress?: (swap: SwapData, now: Instant, from: Instant, until: Instant) => void
}

/** A swap that has run to its end, as a party holds it. */
export type RunResult = {
  readonly network: VirtualNetwork
  readonly ref: StateRef
  /** The last state before maturity. */
  readonly last: SwapData
  readonly isMatured: boolean
}

/** So long after everything should have ended, for those who were late. */
const afterwards = { days: 7 } as const
const stepsShown = 40

export const runToMaturity = async (options: RunOptions = {}): Promise<RunResult> => {
  const { trade = exampleTrade, rates = exampleRates, onProgress, ...networkOptions } = options
  const network = await startSwapNetwork({ development: false, ...networkOptions })
  await announce(network, rates)
  const ref = await agree(network, trade(partiesOf(network)))
  const from = network.now
  const bank = network.node(names.fixedPayer)
  const agreed = await latestSwap(bank)
  if (agreed === undefined) throw new Error('The banks have not agreed.')
  const until = plus(maturityInstant(agreed.swap), afterwards)
  if (onProgress !== undefined) {
    const stepMs = Math.ceil((Date.parse(until) - Date.parse(from)) / stepsShown)
    for (let step = 1; step < stepsShown; step++) {
      await network.advanceTo(plus(from, { milliseconds: step * stepMs }))
      onProgress(((await latestSwap(bank)) ?? agreed).swap, network.now, from, until)
    }
  }
  await network.advanceTo(until)
  const { swap: last, isOver: isMatured } = (await latestSwap(bank)) ?? agreed
  return { network, ref, last, isMatured }
}

/** The instant at which the example begins. */
export const exampleBegins = instant('2016-03-08T00:00:00Z')
