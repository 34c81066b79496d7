/**
 * The error that stops a projection: its own code threw.
 */
import { CarillonError } from '../errors/CarillonError.js'
import { sentenceOf } from '../errors/sentenceOf.js'
import type { PublicEvent } from '../log/PublicEvent.js'

export const evolveThrew = (projection: string, { revision, type }: PublicEvent, error: unknown): CarillonError =>
  new CarillonError(
    'projection-threw',
    `Projection ${projection} threw at event ${revision} (${type}): ${sentenceOf(error)} It stands still; nothing else does. Mend its code and start the node again.`,
    { projection, revision, type },
    error,
  )
