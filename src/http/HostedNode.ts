/**
 * A node as the HTTP API serves it: the node, what the app contributes, and what is counted while it runs.
 */
import { assertInvariant } from '../errors/CarillonError.js'
import type { Node } from '../node/Node.js'
import type { ClockControl } from './ClockControl.js'
import type { VerbGroup } from './AppVerb.js'
import type { Endpoint } from './Endpoint.js'
import type { LogVerification } from './LogVerification.js'
import type { Panel } from './Panel.js'
import type { QuestionThread } from './QuestionThread.js'
import type { Rollup } from './Rollup.js'

export type HostedNode = {
  readonly name: string
  readonly node: Node
  readonly panels: readonly Panel[]
  readonly endpoints: readonly Endpoint[]
  readonly verbs: readonly VerbGroup[]
  readonly rollup: Rollup
  readonly verification: LogVerification
  /** What answers questions beside the loop, where there can be a thread. */
  readonly thread: QuestionThread | undefined
  /** The controls of the node's clock, where that is virtual. */
  readonly clock: ClockControl | undefined
}

/** Tokens are kept by the first node that is served; the other nodes of the server accept them too. */
export const tokenKeeperOf = (hostedNodes: readonly HostedNode[]): HostedNode => {
  const [home] = hostedNodes
  assertInvariant(home !== undefined, 'a server serves at least one node')
  return home
}
