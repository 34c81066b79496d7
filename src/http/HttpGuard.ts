/**
 * What every request must pass before anything looks at it: its rate, the host it is for, the page it comes from, and
 * who sends it. Refused requests are cheap, and counted.
 */
import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { CarillonError } from '../errors/CarillonError.js'
import { httpLimits } from './limits.js'
import { bindingsFor, originFor, proxiedOriginFor, sessionIn } from './sessionHeader.js'
import { bearerIn, noToken } from './bearerToken.js'
import type { RequestGuard } from './buildServer.js'
import type { Authenticator } from './Authenticator.js'
import type { Principal } from './Principal.js'
import { RateLimit } from './RateLimit.js'

const loopback = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** The name of a host without its port. */
const hostName = (host: string): string => host.replace(/:\d{1,5}$/, '').toLowerCase()

export const isLoopback = (host: string): boolean => loopback.has(host) || host === '::1'

/** A request for two hosts is one for this node and for another, depending on who reads it. */
const assertOneHost = ({ raw }: FastifyRequest, host: string): void => {
  const { url = '', rawHeaders } = raw
  const named = rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === 'host').length
  const [, inTarget = host] = /^[a-z]+:\/\/([^/?#]*)/i.exec(url) ?? []
  if (named > 1 || inTarget.toLowerCase() !== host.toLowerCase())
    throw new CarillonError('origin-refused', 'The request names more than one host.')
}

const tooMany = (caller: string, waitMs: number): CarillonError =>
  new CarillonError('rate-exceeded', `Too many requests from ${caller}. Try again in ${Math.ceil(waitMs / 1_000)} s.`, {
    retryAfterSeconds: Math.ceil(waitMs / 1_000),
  })

export class HttpGuard implements RequestGuard {
  readonly #names: ReadonlySet<string>
  /** Those that the server was told, which may be names of a proxy. */
  readonly #toldNames: ReadonlySet<string>
  readonly #anyAddress: boolean
  readonly #authenticator: Authenticator
  readonly #admitted: (request: FastifyRequest, token: string | undefined) => void
  readonly #requests: RateLimit
  readonly #refusals = new RateLimit({
    perSecond: httpLimits.httpRefusalsPerSecond,
    burst: httpLimits.httpRefusalBurst,
    remembered: httpLimits.httpCallers,
  })

  constructor(
    authenticator: Authenticator,
    options: {
      readonly host: string
      readonly names: readonly string[]
      readonly perSecond: number
      /** Told of a request that was admitted, and of the token that it came with. */
      readonly admitted: (request: FastifyRequest, token: string | undefined) => void
    },
  ) {
    const { host, names, perSecond } = options
    this.#authenticator = authenticator
    this.#admitted = options.admitted
    this.#requests = new RateLimit({ perSecond, burst: 2 * perSecond, remembered: httpLimits.httpCallers })
    const bare = host.includes(':') ? `[${host}]` : host
    this.#toldNames = new Set(names.map(hostName))
    this.#names = new Set([...(isLoopback(host) ? loopback : [bare.toLowerCase()]), ...this.#toldNames])
    // A server on all addresses is reached by any of them; a name must still be one it was told.
    this.#anyAddress = host === '0.0.0.0' || host === '::'
  }

  /** Before anything else, and for files of the dashboard too. */
  assertWelcome(request: FastifyRequest): void | Promise<void> {
    const waitMs = this.#requests.take(request.ip, Date.now())
    this.#assertMeant(request)
    if (waitMs > 0) return this.#assertOwnRate(request, waitMs)
  }

  /**
   * The requests of its address are used up, perhaps by others: everyone behind a proxy, and everyone on this machine, has the
   * same one. Whoever is known has a rate of its own.
   */
  async #assertOwnRate(request: FastifyRequest, waitMs: number): Promise<void> {
    const known = await this.#credential(request).catch(() => undefined)
    if (known === undefined) throw tooMany(request.ip, waitMs)
    const ownMs = this.#requests.take(`token ${known.token ?? 'local'}`, Date.now())
    if (ownMs > 0) throw tooMany(known.name, ownMs)
  }

  /** Refuses what is for another host, or comes from a page of another site. */
  #assertMeant(request: FastifyRequest): void {
    const { host, origin } = request.headers
    if (host !== undefined) assertOneHost(request, host)
    const name = hostName(host ?? '')
    const known = this.#names.has(name) || (this.#anyAddress && isIP(name.replaceAll(/[[\]]/g, '')) !== 0)
    if (host === undefined || !known)
      throw new CarillonError(
        'origin-refused',
        `The request is for the host "${(host ?? '').slice(0, 80)}", which is not a name of this node.`,
      )
    const site = request.headers['sec-fetch-site']
    const isNavigation = request.headers['sec-fetch-mode'] === 'navigate' && request.method === 'GET'
    if (
      (origin !== undefined && !this.#isOwnOrigin(request, origin)) ||
      (typeof site === 'string' && site !== 'same-origin' && site !== 'none' && !isNavigation)
    )
      throw new CarillonError(
        'origin-refused',
        'The request comes from a page of another site. The API is not for those.',
      )
  }

  /** Who asks; refused when nobody is known by what the request brings. */
  async admit(request: FastifyRequest): Promise<Principal> {
    try {
      const known = await this.#credential(request)
      this.#admitted(request, known.token)
      return { ...known, from: request.ip }
    } catch (error) {
      throw this.refusalOf(request, error)
    }
  }

  /**
   * What a caller hears whose secret opens nothing: why, and after many of them only to wait. A right secret is let in
   * all the same, for behind a proxy everybody has the same address; and nobody finds one of 256 bits by trying.
   */
  refusalOf(request: FastifyRequest, error: unknown): unknown {
    const waitMs = this.#refusals.take(request.ip, Date.now())
    return waitMs > 0 ? tooMany(request.ip, waitMs) : error
  }

  #isOwnOrigin(request: FastifyRequest, origin: string): boolean {
    if (origin === originFor(request)) return true
    return origin === proxiedOriginFor(request) && this.#toldNames.has(hostName(request.headers.host ?? ''))
  }

  #credential(request: FastifyRequest): Promise<Omit<Principal, 'from'>> {
    const { authorization } = request.headers
    const bearer = bearerIn(request)
    if (bearer !== undefined) return this.#authenticator.byToken(bearer)
    const session = authorization === undefined ? sessionIn(request) : undefined
    if (session === undefined) throw noToken()
    // A browser says where a request that changes something comes from; one that does not is none of ours.
    if (request.method !== 'GET' && request.headers.origin === undefined)
      throw new CarillonError('origin-refused', 'With a session, a request that changes something must say its origin.')
    return this.#authenticator.bySession(session, ...bindingsFor(request))
  }
}
