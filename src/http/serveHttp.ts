/**
 * Serves one node, or several of one process, over HTTP: the API, its live streams, and the dashboard. Loopback by
 * default; anywhere else it refuses to start without TLS.
 */
import type { Node } from '../node/Node.js'
import { NodeMetrics } from '../telemetry/NodeMetrics.js'
import { builtInRoutes } from './builtInRoutes.js'
import type { ClockControl } from './ClockControl.js'
import type { Endpoint } from './Endpoint.js'
import { Gate } from './Gate.js'
import type { House } from './House.js'
import { listenHttp, type HttpOptions, type HttpServer } from './listenHttp.js'
import { LogVerification } from './LogVerification.js'
import type { Panel } from './Panel.js'
import { Rollup } from './Rollup.js'
import type { Route } from './Route.js'
import { Streams } from './Streams.js'
import { newTokenText } from './TokenText.js'

/** A node to serve, and what its app contributes to the surface. */
export type ServedNode = {
  readonly node: Node
  /** What it is called on the dashboard. Default: the name of its party. */
  readonly name?: string
  /** Pages of the dashboard. Default: none. */
  readonly panels?: readonly Panel[]
  /** Addresses of the API. Default: none. */
  readonly endpoints?: readonly Endpoint[]
  /** The hands of this node's virtual clock. Default: those of {@link HttpOptions.clock}. */
  readonly clock?: ClockControl
}

export const houseOf = (served: ServedNode, ofAll: ClockControl | undefined): House => {
  const { node, name = node.party.name, panels = [], endpoints = [], clock = ofAll } = served
  const rollup = new Rollup(clock === undefined ? () => node.nowMs : Date.now)
  node.follow(rollup.hear)
  return { name, node, panels, endpoints, rollup, clock, verification: new LogVerification(node) }
}

/** A token that is revoked is of no use to whoever listens already, however it was revoked. */
export const endStreamsOfRevoked = (node: Node, streams: Streams): void => {
  node.follow((committed) => {
    if (committed.has('TokenRevoked'))
      for (const { token } of committed.ofType('TokenRevoked')) streams.endOf({ token })
  })
}

/** Addresses that apps contribute, each once: nodes of several apps may have some in common. */
export const appRoutesOf = (houses: readonly Pick<House, 'endpoints'>[]): readonly Route[] => [
  ...new Map(
    houses
      .flatMap(({ endpoints }) => endpoints.map((endpoint) => endpoint.route))
      .map((route) => [`${route.method} ${route.path}`, route]),
  ).values(),
]

/** Serves nodes over HTTP until it is closed. The first node keeps the tokens. */
export const serveHttp = (
  served: ServedNode | readonly [ServedNode, ...ServedNode[]],
  options: HttpOptions = {},
): Promise<HttpServer> => {
  const all: readonly [ServedNode, ...ServedNode[]] = 'node' in served ? [served] : served
  const houses = all.map((each) => houseOf(each, options.clock))
  const streams = new Streams()
  endStreamsOfRevoked(all[0].node, streams)
  const metrics = new NodeMetrics()
  for (const { name, node } of houses) metrics.watch(name, node)
  const offered = {
    routes: [...builtInRoutes, ...appRoutesOf(houses)],
    houses: () => houses,
    gate: new Gate(all[0].node, options.localToken ?? newTokenText().text),
    streams,
    metrics: () => metrics.text(),
  }
  return listenHttp(offered, options)
}
