/**
 * The cookie of a session: not for scripts, not for other sites, and named after the port, because browsers share
 * cookies between the ports of a host.
 */
import type { FastifyRequest } from 'fastify'

const nameFor = (request: FastifyRequest): string => `carillon-${request.socket.localPort ?? 0}`

export const sessionCookie = (request: FastifyRequest, value: string, expiresAtMs: number): string =>
  [
    `${nameFor(request)}=${value}`,
    'Path=/',
    'HttpOnly',
    'SameSite=Strict',
    `Expires=${new Date(expiresAtMs).toUTCString()}`,
    ...(request.protocol === 'https' ? ['Secure'] : []),
  ].join('; ')

/** The session a browser sends along. */
export const sessionIn = (request: FastifyRequest): string | undefined => {
  const name = nameFor(request)
  for (const part of (request.headers.cookie ?? '').split(';')) {
    const [key, ...value] = part.trim().split('=')
    if (key === name) return value.join('=')
  }
  return undefined
}
