/**
 * A node as the HTTP API serves it: the node, what the app contributes, and what is counted while it runs.
 */
import type { Node } from '../node/Node.js'
import type { ClockControl } from './ClockControl.js'
import type { Endpoint } from './Endpoint.js'
import type { LogVerification } from './LogVerification.js'
import type { Panel } from './Panel.js'
import type { Rollup } from './Rollup.js'

export type House = {
  readonly name: string
  readonly node: Node
  readonly panels: readonly Panel[]
  readonly endpoints: readonly Endpoint[]
  readonly rollup: Rollup
  readonly verification: LogVerification
  /** The hands of the node's clock, where that is virtual. */
  readonly clock: ClockControl | undefined
}
