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

/** Scheme, host and port that a request is for: what a session is bound to. */
export const originFor = ({ protocol, headers }: FastifyRequest): string => `${protocol}://${headers.host ?? ''}`
