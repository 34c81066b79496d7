/**
 * The error that stops a projection: another process runs it as well.
 */
import { CarillonError } from '../errors/CarillonError.js'

export const projectionFenced = (projection: string): CarillonError =>
  new CarillonError(
    'projection-fenced',
    `Projection ${projection} is also run by another process, which has taken over where this one stood. This one has stopped. Let one process run it, or give the other one another place.`,
    { projection },
  )
