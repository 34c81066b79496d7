/**
 * How a page sends its session: in a header, out of the storage of its own origin. A cookie would go to every port of the
 * host, and so to servers of others.
 */
import type { FastifyRequest } from 'fastify'

export const sessionHeader = 'carillon-session'

/** The session a page sends along. */
export const sessionIn = ({ headers }: FastifyRequest): string | undefined => {
  const text = headers[sessionHeader]
  return typeof text === 'string' && /^[\w.-]{1,200}$/.test(text) ? text : undefined
}

/** Scheme, host and port that a request is for. */
export const originFor = ({ protocol, headers }: FastifyRequest): string => `${protocol}://${headers.host ?? ''}`

/** Where a page of this host is when a proxy has ended its TLS. Undefined when the server has TLS itself. */
export const proxiedOriginFor = ({ protocol, headers }: FastifyRequest): string | undefined =>
  protocol === 'http' ? `https://${headers.host ?? ''}` : undefined

/**
 * What the session of a request may be bound to. At a proxy that is the origin and this server's own port: a server with
 * TLS of its own has the same origin, and one beside it may be reached by the same name.
 */
export const bindingsFor = (request: FastifyRequest): readonly [string, ...string[]] => {
  const own = originFor(request)
  const proxied = proxiedOriginFor(request)
  if (proxied === undefined) return [own]
  const behindProxy = `${proxied} by ${request.socket.localPort ?? ''}`
  const { origin } = request.headers
  // To its own origin a browser does not say where it is when it only reads: then either may be meant.
  if (origin === undefined) return [own, behindProxy]
  return [origin === proxied ? behindProxy : own]
}
