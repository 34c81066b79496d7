/**
 * Who asks on the control socket: whoever could open it owns the store, and is believed who he says he is. A token that
 * comes along counts instead, so that its holder can see what it is good for.
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

  /** No page of a browser can open a socket in a folder, and its owner may ask as often as he likes. */
  assertWelcome(): void {
    return
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
