/**
 * What is served, whatever the address: the routes, the nodes that answer them, and what is counted meanwhile. An HTTP
 * address and a control socket may serve the same. Which nodes there are is asked anew for each request, so that a
 * process that begins to lead, or ceases to, keeps its address.
 */
import type { Node } from '../node/Node.js'
import type { Standby } from '../standby/Standby.js'
import { NodeMetrics } from '../telemetry/NodeMetrics.js'
import type { VerbGroup } from './AppVerb.js'
import { builtInRoutes } from './builtInRoutes.js'
import type { ClockControl } from './ClockControl.js'
import type { Endpoint } from './Endpoint.js'
import { Authenticator } from './Authenticator.js'
import type { HostedNode } from './HostedNode.js'
import type { LocalToken } from './localToken.js'
import { LogVerification } from './LogVerification.js'
import type { Panel } from './Panel.js'
import { QuestionThread } from './QuestionThread.js'
import { readViewsOf } from './readViewsOf.js'
import { Rollup } from './Rollup.js'
import type { Route } from './Route.js'
import { Streams } from './Streams.js'
import { newTokenText } from './TokenText.js'

/** What a server serves: which routes there are, and who answers them. */
export type ServedApi = {
  readonly routes: readonly Route[]
  /** None while this process stands by. */
  readonly hostedNodes: () => readonly HostedNode[]
  /** The node that is asked when a request names none. Default: the first. */
  readonly usualNode?: () => HostedNode
  readonly standby?: Standby
  readonly authenticator: Authenticator
  readonly streams: Streams
  readonly metrics: () => Promise<string>
}

/** A node to serve, and what its app contributes to the surface. */
export type ServedNode = {
  readonly node: Node
  /** What it is called on the dashboard. Default: the name of its party. */
  readonly name?: string
  /** Pages of the dashboard. Default: none. */
  readonly panels?: readonly Panel[]
  /** Addresses of the API. Default: none. */
  readonly endpoints?: readonly Endpoint[]
  /** Verbs of the command line. Default: none. */
  readonly verbs?: readonly VerbGroup[]
  /** The controls of this node's virtual clock. Default: those of {@link HttpOptions.clock}. */
  readonly clock?: ClockControl
}

export const hostNode = (served: ServedNode, ofAll?: ClockControl): HostedNode => {
  const { node, name = node.party.name, panels = [], endpoints = [], verbs = [], clock = ofAll } = served
  const rollup = new Rollup(clock === undefined ? () => node.nowMs : Date.now)
  node.follow(rollup.hear)
  const thread = node.openBeside((file) => new QuestionThread(file, node))
  return { name, node, thread, panels, endpoints, verbs, rollup, clock, verification: new LogVerification(node) }
}

/** A token that is revoked is of no use to whoever listens already, however it was revoked. */
export const endStreamsOfRevoked = (node: Node, streams: Streams): void => {
  node.follow((committed) => {
    if (committed.has('TokenRevoked'))
      for (const { token } of committed.ofType('TokenRevoked')) streams.endOf({ token })
  })
}

/** Addresses that apps contribute, each once: nodes of several apps may have some in common. */
export const appRoutesOf = (hostedNodes: readonly Pick<HostedNode, 'endpoints'>[]): readonly Route[] => [
  ...new Map(
    hostedNodes
      .flatMap(({ endpoints }) => endpoints.map((endpoint) => endpoint.route))
      .map((route) => [`${route.method} ${route.path}`, route]),
  ).values(),
]

/** Nodes of this process, ready to be served. The first keeps the tokens. */
export const apiOf = (
  served: readonly [ServedNode, ...ServedNode[]],
  {
    clock,
    localToken = newTokenText().text,
  }: { readonly clock?: ClockControl; readonly localToken?: string | LocalToken } = {},
): ServedApi => {
  const hostedNodes = served.map((each) => hostNode(each, clock))
  const streams = new Streams()
  endStreamsOfRevoked(served[0].node, streams)
  const metrics = new NodeMetrics()
  for (const hosted of hostedNodes)
    metrics.watchBy(hosted.name, hosted.node, () => readViewsOf(hosted, 'measures', { name: 'metrics' }))
  return {
    routes: [...builtInRoutes, ...appRoutesOf(hostedNodes)],
    hostedNodes: () => hostedNodes,
    authenticator: new Authenticator(served[0].node, localToken),
    streams,
    metrics: () => metrics.text(),
  }
}
