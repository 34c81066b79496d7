/**
 * One node of the demo, and whatever keeps it company: people who ask it for things, a clock. It is stopped as a whole.
 */
import type { ServedNode } from 'carillon/http'

export type Neighbour = {
  readonly served: ServedNode
  /** The folder of its store, for the command line. */
  readonly store: string
  /** What it does, in half a sentence. */
  readonly about: string
}

/** Nodes that were started together and end together. */
export type Household = {
  readonly neighbours: readonly Neighbour[]
  readonly stop: () => Promise<void>
}
