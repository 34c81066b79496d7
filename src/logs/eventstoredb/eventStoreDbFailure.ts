/**
 * What went wrong with EventStoreDB, in Carillon's words, and whether an append may have happened all the same: only an
 * answer of the server, or a call that never left, says no. Every error of the client is translated here and nowhere else.
 */
import {
  AccessDeniedError,
  DeadlineExceededError,
  InvalidArgumentError,
  MaxAppendSizeExceededError,
  NotLeaderError,
  StreamDeletedError,
  StreamNotFoundError,
  TimeoutError,
  WrongExpectedVersionError,
  convertToCommandError,
  isCommandError,
} from '@eventstore/db-client'
import { CarillonError, messageOf, NodeFault } from '../../errors/CarillonError.js'
import { DeadlinePassed } from '../remote/withinDeadline.js'
import { leadOut } from './StreamRetention.js'

/** An event is larger than the server takes; servers from 24.10.4 on have such a limit, and the client does not know it. */
export class EventTooLargeError extends Error {}

/** How those servers name it. */
const eventTooLarge = 'maximum-append-event-size-exceeded'

const isEventTooLarge = (error: unknown): boolean =>
  error instanceof EventTooLargeError ||
  (error instanceof Error &&
    isCommandError(error) &&
    error._raw?.metadata.get('exception').includes(eventTooLarge) === true)

/** Bytes of an append that every tick fits into, and that every server takes as it comes. */
const tickBytes = 1_048_576

/** The server has said no, and will say so again until something is changed there. */
const isAnswer = (error: unknown): boolean =>
  [
    AccessDeniedError,
    InvalidArgumentError,
    MaxAppendSizeExceededError,
    NotLeaderError,
    StreamDeletedError,
    WrongExpectedVersionError,
  ].some((kind) => error instanceof kind) || isEventTooLarge(error)

/** The call never reached a server. */
const neverLeft = (error: unknown): boolean => /No connection established|Failed to discover/.test(messageOf(error))

/** What the client threw, of an error that was translated here. */
const thrownOf = (error: unknown): unknown => (error instanceof CarillonError ? error.cause : error)

/** Whether the server has surely not done what it was asked. */
export const surelyNotAppended = (error: unknown): boolean => {
  const thrown = thrownOf(error)
  return isAnswer(thrown) || neverLeft(thrown)
}

/** Another writer was there first. */
export const isWrongVersion = (error: unknown): boolean => thrownOf(error) instanceof WrongExpectedVersionError

export const isMissingStream = (error: unknown): boolean => thrownOf(error) instanceof StreamNotFoundError

/** Another server leads the cluster; the client then turns to that one. */
export const isNotLeader = (error: unknown): boolean => thrownOf(error) instanceof NotLeaderError

/** The server has not answered in time, and may be frozen; another one may lead by now. */
export const isSilence = (error: unknown): boolean => {
  const thrown = thrownOf(error)
  return thrown instanceof DeadlinePassed || thrown instanceof DeadlineExceededError
}

export const eventStoreDbFailure = (thrown: unknown, where: string): CarillonError => {
  if (thrown instanceof CarillonError) return thrown
  // What comes from a call of our own is not yet one of the client's errors.
  const error = thrown instanceof Error ? convertToCommandError(thrown) : thrown
  const because = messageOf(error)
  if (error instanceof AccessDeniedError || /PERMISSION_DENIED|UNAUTHENTICATED/.test(because))
    return new NodeFault(
      'log-access-denied',
      `The EventStoreDB server refuses access to the log at ${where}: ${because}. Check user, password, and the rights to read the stream, to append to it and to read its metadata.`,
      { where },
      error,
    )
  if (error instanceof MaxAppendSizeExceededError)
    return new NodeFault(
      'log-limit-exceeded',
      `The server at ${where} takes at most ${error.maxAppendSize} bytes in one append, which is less than this tick needs. Raise MaxAppendSize of the server to ${Math.max(tickBytes, 2 * error.maxAppendSize)} or more and start the node again.`,
      { where, bytes: error.maxAppendSize },
      error,
    )
  if (isEventTooLarge(error))
    return new NodeFault(
      'log-limit-exceeded',
      `The server at ${where} does not take an event of this size: ${because}. Raise MaxAppendEventSize of the server to ${tickBytes} or more and start the node again.`,
      { where },
      error,
    )
  if (error instanceof StreamDeletedError)
    return new NodeFault(
      'log-foreign',
      `The stream at ${where} was deleted for good (tombstone); no stream of this name can be made again. ${leadOut}`,
      { where },
      error,
    )
  if (error instanceof StreamNotFoundError)
    return new NodeFault('log-foreign', `There is no stream at ${where} any more. ${leadOut}`, { where }, error)
  if (error instanceof WrongExpectedVersionError)
    return new CarillonError(
      'log-revision-conflict',
      `Another process has appended to the log at ${where}.`,
      { where },
      error,
    )
  // A server whose disk is full says so with these words, and ends itself.
  const advice =
    error instanceof TimeoutError
      ? ' If the server has no space left on its disk, make room there and start it again.'
      : ''
  return new NodeFault(
    'log-unreachable',
    `The log at ${where} cannot be reached: ${because}. The node goes on by itself when it can be again.${advice}`,
    { where },
    error,
  )
}
