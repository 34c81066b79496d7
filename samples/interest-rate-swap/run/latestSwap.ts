/**
 * The newest state of the trade that a node holds: the open one, or the last before it matured.
 */
import type { Node } from 'carillon'
import { Swap } from '../swap/Swap.js'
import type { SwapData } from '../swap/SwapKind.js'

export type Standing = { readonly swap: SwapData; readonly isOver: boolean }

export const latestSwap = async (node: Node): Promise<Standing | undefined> => {
  const [open] = await node.states(Swap, { includeIrrelevant: true })
  if (open !== undefined) return { swap: open.data, isOver: false }
  const last = (await node.states(Swap, { status: 'all', includeIrrelevant: true, limit: 1_000 })).at(-1)
  return last === undefined ? undefined : { swap: last.data, isOver: true }
}
