/**
 * The error for a revision that a log does not hold.
 */
import { CarillonError } from '../errors/CarillonError.js'

export const revisionUnknown = (revision: number, last: number): CarillonError =>
  new CarillonError(
    'revision-unknown',
    last < 0
      ? `There is no revision ${revision}: the log is empty.`
      : `There is no revision ${revision}: the log holds revisions 0 to ${last}.`,
    { revision, last },
  )
