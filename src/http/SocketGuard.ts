/**
 * Who asks on the control socket. Whoever can open it owns the store, and may name the operator. A token that comes along
 * counts instead, so that its holder can see what it allows.
 */
import type { FastifyRequest } from 'fastify'
import { CarillonError } from '../errors/CarillonError.js'
import { OperatorNameC } from '../operator/OperatorRequest.js'
import { bearerIn, noToken } from './bearerToken.js'
import type { RequestGuard } from './buildServer.js'
import type { Authenticator } from './Authenticator.js'
import { operatorHeader } from './operatorHeader.js'
import { callerOf, type Principal } from './Principal.js'

export class SocketGuard implements RequestGuard {
  readonly #authenticator: Authenticator

  constructor(authenticator: Authenticator) {
    this.#authenticator = authenticator
  }

  /**
   * A browser cannot open a socket in a folder, but its owner may forward the socket to a port, which pages can reach.
   * Those name their origin, or a host in some domain; no client of a socket does.
   */
  assertWelcome({ headers }: FastifyRequest): void {
    const isPage = headers.origin !== undefined || headers['sec-fetch-site'] !== undefined
    if (isPage || !/^(localhost|[a-z0-9-]*|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i.test(headers.host ?? ''))
      throw new CarillonError(
        'origin-refused',
        'The control socket answers no pages of a browser. Use the address of the HTTP API for the dashboard.',
      )
  }

  async admit(request: FastifyRequest): Promise<Principal> {
    const from = callerOf(request)
    if (request.headers.authorization === undefined)
      return { name: 'local', permissions: ['admin'], from, ...operatorIn(request) }
    const token = bearerIn(request)
    if (token === undefined) throw noToken()
    return { ...(await this.#authenticator.byToken(token)), from }
  }

  refusalOf(_request: FastifyRequest, error: unknown): unknown {
    return error
  }
}

const operatorIn = ({ headers }: FastifyRequest): Pick<Principal, 'operator'> => {
  const text = headers[operatorHeader]
  if (typeof text !== 'string') return {}
  const operator = decoded(text)
  if (!OperatorNameC.is(operator))
    throw new CarillonError('request-invalid', `The header ${operatorHeader} does not name an operator, as cli:alice.`)
  return { operator }
}

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
