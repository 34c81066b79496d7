/**
 * The errors for a revision that a log does not hold, or does not hold as it was taken.
 */
import { CarillonError } from '../errors/CarillonError.js'
import type { TakenEvent } from './holdsEvent.js'

export const revisionUnknown = (revision: number, last: number): CarillonError =>
  new CarillonError(
    'revision-unknown',
    last < 0
      ? `There is no revision ${revision}: the log is empty.`
      : `There is no revision ${revision}: the log holds revisions 0 to ${last}.`,
    { revision, last },
  )

export const subscriptionAhead = (
  { revision }: TakenEvent,
  { revision: last }: { readonly revision: number },
): CarillonError =>
  new CarillonError(
    'subscription-ahead',
    `This log does not hold event ${revision} as it was taken: it was restored to an earlier head, or is another one. It ends at revision ${last}. See what of the events that were taken holds still, and subscribe from a revision or from the start.`,
    { revision, last },
  )
