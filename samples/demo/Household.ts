/**
 * Nodes of the demo that are started and stopped together, and the people who come by and ask them for things.
 */
import type { ServedNode } from 'carillon/http'

/** One node, as the dashboard and the command line reach it. */
export type Neighbour = {
  readonly served: ServedNode
  /** The folder of its store, for the command line. */
  readonly store: string
  /** What it does, in half a sentence. */
  readonly about: string
}

export type Household = {
  readonly neighbours: readonly Neighbour[]
  readonly stop: () => Promise<void>
}

/** Somebody who comes by again and again: one visit at a time, and one that fails does not keep them from the next. */
export type Visits = { readonly stop: () => void }

export const repeat = (everyMs: number, visit: () => Promise<unknown>, onTrouble: (error: unknown) => void): Visits => {
  const closing = new AbortController()
  let isUnderWay = false
  const come = async (): Promise<void> => {
    if (isUnderWay) return
    isUnderWay = true
    try {
      await visit()
    } catch (error) {
      // Whoever is inside when the house closes is sent away; that is no trouble.
      if (!closing.signal.aborted) onTrouble(error)
    } finally {
      isUnderWay = false
    }
  }
  void come()
  const timer = setInterval(() => void come(), everyMs)
  return {
    stop: () => {
      closing.abort()
      clearInterval(timer)
    },
  }
}

/** A household of one node. */
export const alone = (neighbour: Neighbour, visits?: Visits): Household => ({
  neighbours: [neighbour],
  stop: async () => {
    visits?.stop()
    await neighbour.served.node.stop()
  },
})
