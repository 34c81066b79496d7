/**
 * What the parties of a simulation do of their own accord.
 */
import type { FlowDefinition } from '../../app/FlowDefinition.js'
import type { Party } from '../../identity/Party.js'
import type { FlowId } from '../../log/FlowId.js'
import type { Node } from '../../node/Node.js'
import type { Instant } from '../../time/Instant.js'
import type { Chance } from './Chance.js'

/** One party's turn to do something. */
export type Turn = {
  readonly name: string
  readonly node: Node
  /** Every party that works, this one included. */
  readonly parties: readonly Party[]
  readonly now: Instant
  /** Choices to be made from the seed, and from nothing else. */
  readonly chance: Chance
  /**
   * Starts a flow, and gives its id; undefined when it was refused. What the caller is told is held against the log at the
   * end.
   */
  readonly start: <I, R, F = never>(flow: FlowDefinition<I, R, F>, input: NoInfer<I>) => Promise<FlowId | undefined>
  /**
   * Asks something else of the node, such as to send a signal or to cancel a flow. It may be refused, because what it is
   * about has ended or the node fails at that very moment.
   */
  readonly ask: (what: string, ask: (node: Node) => Promise<unknown>) => Promise<void>
}

/** What the parties of a simulation do: called again and again, for one of them at a time; a promise is waited for. */
export type Workload = (turn: Turn) => unknown
