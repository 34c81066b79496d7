/**
 * What a node refuses, as the same typed error on this side: with its code, its words and its details.
 */
import { CarillonError, reviveError, type ErrorDetails } from '../errors/CarillonError.js'
import type { FetchAnswer } from './Fetch.js'

type ProblemDocument = { readonly code: string; readonly detail: string; readonly details?: unknown }

const isDetail = (value: unknown): boolean =>
  value === null ||
  ['string', 'number', 'boolean'].includes(typeof value) ||
  (Array.isArray(value) && value.every((text) => typeof text === 'string'))

const isDetails = (value: unknown): value is ErrorDetails =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(isDetail)

const isProblem = (value: unknown): value is ProblemDocument =>
  typeof value === 'object' &&
  value !== null &&
  'code' in value &&
  typeof value.code === 'string' &&
  'detail' in value &&
  typeof value.detail === 'string'

/** What a text says as JSON; undefined when it is none. */
export const jsonIn = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** What stands between a client and a node says so with these when the node does not answer. */
const nodeIsAway: ReadonlySet<number> = new Set([502, 503, 504])

/** The error that an answer tells of. An answer that is not of a node is told by its status. */
export const errorIn = async (answer: FetchAnswer, address: string): Promise<CarillonError> => {
  const problem = jsonIn(await answer.text())
  if (isProblem(problem)) {
    const { code, detail: message, details } = problem
    return reviveError({ code, message, ...(isDetails(details) ? { details } : {}) })
  }
  const { status } = answer
  return nodeIsAway.has(status)
    ? new CarillonError('address-unavailable', `${address} does not answer: the status is ${status}.`, {
        address,
        status,
      })
    : new CarillonError(
        'request-invalid',
        `${address} answered ${status}, and not as a node of Carillon does. Is it the address of one?`,
        { address, status },
      )
}
