/**
 * What went wrong with EventStoreDB, in Carillon's words, and whether an append may have happened all the same: only an
 * answer of the server, or a call that never left, says no.
 */
import {
  AccessDeniedError,
  InvalidArgumentError,
  MaxAppendSizeExceededError,
  NotLeaderError,
  StreamDeletedError,
  StreamNotFoundError,
  WrongExpectedVersionError,
} from '@eventstore/db-client'
import { CarillonError, messageOf, NodeFault } from '../../errors/CarillonError.js'

/** The server has said no, and will say so again until something is changed there. */
const isAnswer = (error: unknown): boolean =>
  [
    AccessDeniedError,
    InvalidArgumentError,
    MaxAppendSizeExceededError,
    NotLeaderError,
    StreamDeletedError,
    WrongExpectedVersionError,
  ].some((kind) => error instanceof kind)

/** The call never reached a server. */
const neverLeft = (error: unknown): boolean => /No connection established|Failed to discover/.test(messageOf(error))

export const surelyNotDone = (error: unknown): boolean => isAnswer(error) || neverLeft(error)

export const isMissingStream = (error: unknown): boolean => error instanceof StreamNotFoundError

export const eventStoreDbFailure = (error: unknown, where: string): CarillonError => {
  if (error instanceof CarillonError) return error
  const because = messageOf(error)
  if (error instanceof AccessDeniedError || /PERMISSION_DENIED|UNAUTHENTICATED/.test(because))
    return new NodeFault(
      'log-access-denied',
      `The EventStoreDB server refuses access to the log at ${where}: ${because}. Check user, password and the rights on the stream.`,
      { where },
      error,
    )
  if (error instanceof MaxAppendSizeExceededError)
    return new NodeFault(
      'log-limit-exceeded',
      `The server at ${where} takes at most ${error.maxAppendSize} bytes in one append, which is less than a tick may be. Raise MaxAppendSize of the server to 1048576 or more and start the node again.`,
      { where, bytes: error.maxAppendSize },
      error,
    )
  if (error instanceof StreamDeletedError)
    return new NodeFault(
      'log-foreign',
      `The stream at ${where} was deleted for good. Restore it from a backup of the server, or copy the log from a node's store to another stream.`,
      { where },
      error,
    )
  return new NodeFault(
    'log-unreachable',
    `The log at ${where} cannot be reached: ${because}. The node goes on by itself when it can be again.`,
    { where },
    error,
  )
}
