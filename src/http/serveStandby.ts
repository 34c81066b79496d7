/**
 * Serves one of several processes of a node over HTTP, whichever part it plays: the whole API while it leads; its health,
 * its readiness and its metrics while it stands by. The address stays the same.
 */
import type { Standby } from '../standby/Standby.js'
import { NodeMetrics } from '../telemetry/NodeMetrics.js'
import { builtInRoutes } from './builtInRoutes.js'
import { Authenticator } from './Authenticator.js'
import type { HostedNode } from './HostedNode.js'
import { listenHttp, type HttpOptions, type HttpServer } from './listenHttp.js'
import { readViewsOf } from './readViewsOf.js'
import { appRoutesOf, endStreamsOfRevoked, hostNode, type ServedNode } from './ServedApi.js'
import { Streams } from './Streams.js'
import { newTokenText } from './TokenText.js'

/** What the app of a standby contributes to the surface. */
export type ServedStandby = Omit<ServedNode, 'node' | 'clock'> & { readonly standby: Standby }

/** Serves a process until it is closed, whether it leads or follows. */
export const serveStandby = async (
  { standby, name = standby.partyName, endpoints = [], ...contributed }: ServedStandby,
  options: Omit<HttpOptions, 'clock'> = {},
): Promise<HttpServer> => {
  let hostedNodes: readonly HostedNode[] = []
  const streams = new Streams()
  const settle = (): void => {
    // What is streamed is the node's; a reader comes back and is told who leads.
    streams.close()
    const { node } = standby
    hostedNodes = node === undefined ? [] : [hostNode({ node, name, endpoints, ...contributed })]
    if (node !== undefined) endStreamsOfRevoked(node, streams)
  }
  const unfollow = standby.onRole(settle)
  settle()
  const metrics = new NodeMetrics()
  metrics.watchStandbyBy(name, standby, (node) =>
    readViewsOf({ node, thread: hostedNodes.find((each) => each.node === node)?.thread }, 'measures', {
      name: 'metrics',
    }),
  )
  const offered = {
    routes: [...builtInRoutes, ...appRoutesOf([{ endpoints }])],
    hostedNodes: () => hostedNodes,
    standby,
    authenticator: new Authenticator(standby, options.localToken ?? newTokenText().text),
    streams,
    metrics: () => metrics.text(),
  }
  try {
    const server = await listenHttp(offered, options)
    return {
      ...server,
      close: async () => {
        unfollow()
        await server.close()
      },
    }
  } catch (error) {
    unfollow()
    throw error
  }
}
