/**
 * Errors as an HTTP client sees them: `application/problem+json` with Carillon's code, message and details, and the
 * status that belongs to the code.
 */
import * as t from 'io-ts'
import { catalogue, type ErrorCode } from '../errors/catalogue.js'
import { CarillonError, concernsNode, recordError } from '../errors/CarillonError.js'

export const ProblemC = t.readonly(
  t.intersection([
    t.strict({ type: t.string, title: t.string, status: t.number, detail: t.string, code: t.string }),
    t.exact(t.partial({ details: t.UnknownRecord })),
  ]),
  'Problem',
)
export type Problem = t.TypeOf<typeof ProblemC>

const statuses: Readonly<Partial<Record<ErrorCode, number>>> = {
  'token-refused': 401,
  'permission-missing': 403,
  'origin-refused': 403,
  'flow-not-for-clients': 403,
  'route-unknown': 404,
  'state-unknown': 404,
  'flow-not-found': 404,
  'flow-unknown': 404,
  'token-unknown': 404,
  'panel-unknown': 404,
  'party-unknown': 404,
  'activity-unknown': 409,
  'activity-not-ready': 409,
  'client-id-conflict': 409,
  'flow-ended': 409,
  'flow-not-parked': 409,
  'state-consumed': 409,
  'state-key-taken': 409,
  'state-key-reserved': 409,
  'fact-too-large': 413,
  'flow-input-invalid': 422,
  'rate-exceeded': 429,
  'node-busy': 503,
  'node-draining': 503,
  'node-following': 503,
  'node-stopped': 503,
  'disk-full': 503,
}

const isKnown = (code: string): code is ErrorCode => Object.hasOwn(catalogue, code)

/** The status of a code: what can never succeed as it stands is the client's to change, the rest is told as it is. */
const statusOf = (code: string): number => {
  if (!isKnown(code)) return 422
  const known = statuses[code]
  if (known !== undefined) return known
  switch (catalogue[code].consequence) {
    case 'refuse':
      return 400
    case 'retry':
      return 503
    case 'fail':
    case 'park':
      return 422
    case 'stop':
      return 500
  }
}

/** What went wrong inside stays inside: only the node's log says more. */
const unexpected: Problem = {
  type: 'urn:carillon:error:invariant-broken',
  title: 'The request could not be answered',
  status: 500,
  detail: 'Unexpected error. The log of the node says more.',
  code: 'invariant-broken',
}

/** What the host says may repeat what was asked, at any length. */
const longestDetail = 200

/** What Fastify and Node refuse before a route is reached. */
const refusedByHost = (error: unknown): Problem | undefined => {
  if (!(error instanceof Error) || !('statusCode' in error) || typeof error.statusCode !== 'number') return undefined
  if (error.statusCode < 400 || error.statusCode > 499) return undefined
  return {
    type: 'urn:carillon:error:request-invalid',
    title: catalogue['request-invalid'].title,
    status: error.statusCode,
    detail: `${error.message.slice(0, longestDetail).replace(/\.$/, '')}.`,
    code: 'request-invalid',
  }
}

/** A log that is away or lets nobody in, or a disk that is full, passes: whoever asks is told to come back, no more. */
const passing = (error: unknown): Problem | undefined =>
  concernsNode(error) && (error.consequence === 'retry' || error.code === 'log-access-denied') && isKnown(error.code)
    ? {
        type: `urn:carillon:error:${error.code}`,
        title: catalogue[error.code].title,
        status: 503,
        detail: 'The node cannot record anything at the moment and goes on by itself. Ask again; its health says more.',
        code: error.code,
      }
    : undefined

export const problemOf = (error: unknown): Problem => {
  if (!(error instanceof CarillonError) || concernsNode(error))
    return refusedByHost(error) ?? passing(error) ?? unexpected
  const { code, message, details } = recordError(error, 'invariant-broken')
  return {
    type: `urn:carillon:error:${code}`,
    title: isKnown(code) ? catalogue[code].title : 'The app refused',
    status: statusOf(code),
    detail: message,
    code,
    ...(details === undefined ? {} : { details }),
  }
}
