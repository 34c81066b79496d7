/**
 * Whether a tick is the very next one after a head: by its number, its first revision, and its running hash, which covers
 * every byte of it.
 */
import { CarillonError } from '../errors/CarillonError.js'
import { hashAfterTick, type EncodedTick, type Head } from '../log/Tick.js'

/** A tick that does not follow from the ones before it must not become views. */
export const assertFollows = (head: Head, tick: EncodedTick): void => {
  const follows = tick.number === head.tick + 1 && tick.firstRevision === head.revision + 1
  if (follows && hashAfterTick(head, tick) === tick.hash) return
  throw new CarillonError(
    'log-altered',
    `Tick ${tick.number} of the log does not follow from revision ${head.revision}: the log was altered. Run "carillon log verify" to see what was changed, and restore the log from a backup or an export.`,
    { tick: tick.number, revision: tick.firstRevision },
  )
}
