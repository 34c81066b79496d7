/**
 * Ten years in seconds: the example trade under a virtual clock, from the offer to maturity.
 */
import { plus, type Instant, type Node } from 'carillon'
import type { VirtualNetwork } from 'carillon/testing'
import { agree, announce, names, partiesOf, startSwapNetwork, type SwapNetworkOptions } from '../network.js'
import { Swap } from '../swap/Swap.js'
import type { SwapData } from '../swap/SwapKind.js'
import { maturityInstant } from '../swap/events.js'
import { exampleRates, exampleTrade } from '../trades.js'

export type Standing = { readonly swap: SwapData; readonly isOver: boolean }

/** The newest state of the trade that a node holds: the open one, or the last before it matured. */
export const latestSwap = async (node: Node): Promise<Standing | undefined> => {
  const [open] = await node.states(Swap, { includeIrrelevant: true })
  if (open !== undefined) return { swap: open.data, isOver: false }
  const last = (await node.states(Swap, { status: 'all', includeIrrelevant: true, limit: 1_000 })).at(-1)
  return last === undefined ? undefined : { swap: last.data, isOver: true }
}

export type RunOptions = SwapNetworkOptions & {
  /** The day on which the trade ends. Default: that of the example. */
  readonly until?: string
  /** Told how the swap stands, a few times a year. */
  readonly onProgress?: (swap: SwapData, now: Instant, from: Instant, until: Instant) => void
}

/** A swap that has run to its end, as a party holds it. */
export type RunResult = {
  readonly network: VirtualNetwork
  /** The last state before maturity. */
  readonly last: SwapData
  readonly isMatured: boolean
}

/** So long after everything should have ended, for those who were late. */
const afterwards = { days: 7 } as const
const stepsShown = 40

export const runToMaturity = async ({ until, onProgress, ...options }: RunOptions = {}): Promise<RunResult> => {
  const network = await startSwapNetwork({ development: false, ...options })
  await announce(network, exampleRates)
  await agree(network, exampleTrade(partiesOf(network), until))
  const from = network.now
  const standing = async (): Promise<Standing> => {
    const found = await latestSwap(network.node(names.fixedPayer))
    if (found === undefined) throw new Error('The banks have not agreed.')
    return found
  }
  const end = plus(maturityInstant((await standing()).swap), afterwards)
  if (onProgress !== undefined) {
    const stepMs = Math.ceil((Date.parse(end) - Date.parse(from)) / stepsShown)
    for (let step = 1; step < stepsShown; step++) {
      await network.advanceTo(plus(from, { milliseconds: step * stepMs }))
      onProgress((await standing()).swap, network.now, from, end)
    }
  }
  await network.advanceTo(end)
  const { swap: last, isOver: isMatured } = await standing()
  return { network, last, isMatured }
}
