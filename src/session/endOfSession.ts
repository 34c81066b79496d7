/**
 * Why nothing more will come in a session, from the message that ended it.
 */
import { CarillonError, type ErrorDetails } from '../errors/CarillonError.js'
import type { Message } from '../log/Message.js'

/** Of what the other party says about its error, whatever is plain enough to be said again. */
const detailsOf = (details: Readonly<Record<string, unknown>> | undefined): ErrorDetails =>
  Object.fromEntries(
    Object.entries(details ?? {}).filter(
      (entry): entry is [string, string | number | boolean | null] =>
        entry[1] === null || ['string', 'number', 'boolean'].includes(typeof entry[1]),
    ),
  )

/** Why a message that is no data means that nothing more will come. */
export const endOfSession = (message: Exclude<Message, { readonly kind: 'data' }>, party: string): CarillonError =>
  message.kind === 'error'
    ? new CarillonError('counterparty-failed', `${party} answered with an error: ${message.message}`, {
        ...detailsOf(message.details),
        party,
        code: message.code,
      })
    : new CarillonError('session-ended', `${party} has ended the session; no further message will come.`, { party })
