/**
 * Serves one node, or several of one process, over HTTP: the API, its live streams, and the dashboard.
 */
import { listenHttp, type HttpOptions, type HttpServer } from './listenHttp.js'
import { apiOf, type ServedNode } from './ServedApi.js'

/** Serves nodes over HTTP until it is closed. The first node keeps the tokens. */
export const serveHttp = (
  served: ServedNode | readonly [ServedNode, ...ServedNode[]],
  options: HttpOptions = {},
): Promise<HttpServer> => listenHttp(apiOf('node' in served ? [served] : served, options), options)
