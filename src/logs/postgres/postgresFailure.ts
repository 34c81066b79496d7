/**
 * What went wrong with PostgreSQL, in Carillon's words. The one question that matters for an append is whether it may
 * have happened: only an error that the server itself has answered, and that ends the transaction, says no.
 */
import { CarillonError, messageOf, NodeFault } from '../../errors/CarillonError.js'

/**
 * The five characters by which PostgreSQL names an error, also one that was translated here; undefined when the server
 * has not said anything.
 */
export const sqlStateOf = (thrown: unknown): string | undefined => {
  const error = thrown instanceof CarillonError ? thrown.cause : thrown
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  const { code } = error
  // The system's own codes, such as ECONNRESET, are longer, or (EPIPE) have no severity beside them.
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && 'severity' in error ? code : undefined
}

const unreachableStates = new Set(['57P01', '57P02', '57P03', '57P05', '53300', '25006'])

/** Whether the connection itself is of no more use, whatever was under way on it. */
export const endsSession = (error: unknown): boolean => {
  const state = sqlStateOf(error)
  return state === undefined || unreachableStates.has(state) || state.startsWith('08')
}

/** Whether the server has surely not done what it was asked. */
export const surelyNotCommitted = (error: unknown): boolean => {
  const state = sqlStateOf(error)
  // A server that is shutting down may say so after the commit: that leaves the question open.
  return state !== undefined && !['57P01', '57P02'].includes(state) && !state.startsWith('08')
}

/** Two writers met, and the server wants one of them to ask again. */
export const wantsAnotherTry = (error: unknown): boolean => ['40001', '40P01'].includes(sqlStateOf(error) ?? '')

export const postgresFailure = (error: unknown, where: string): CarillonError => {
  if (error instanceof CarillonError) return error
  const state = sqlStateOf(error)
  const because = messageOf(error)
  if (state === '53100')
    return new NodeFault(
      'disk-full',
      `The PostgreSQL server has no space left for the log at ${where}. Nothing was recorded; make room there, and the node goes on by itself. (${because})`,
      { where },
      error,
    )
  if (state?.startsWith('28') === true || state === '42501' || state === '3D000' || state === '3F000')
    return new NodeFault(
      'log-access-denied',
      `The PostgreSQL server refuses access to the log at ${where}: ${because}. Check user, password, database and the rights of the role.`,
      { where, sqlState: state },
      error,
    )
  if (state !== undefined && !endsSession(error) && !/^(40|53|55|57|58)/.test(state))
    return new NodeFault(
      'log-foreign',
      `The log at ${where} is not as Carillon has made it: ${because}. Choose another schema, or restore the one that was changed.`,
      { where, sqlState: state },
      error,
    )
  return new NodeFault(
    'log-unreachable',
    `The log at ${where} cannot be reached: ${because}. The node goes on by itself when it can be again.`,
    { where, ...(state === undefined ? {} : { sqlState: state }) },
    error,
  )
}
