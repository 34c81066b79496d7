/**
 * Whether a log holds an event that was taken from it before. A log that was restored to an earlier head has, sooner or later,
 * another event with the same revision; the hash tells the two apart.
 */
import { CarillonError } from '../errors/CarillonError.js'
import type { EncodedTick } from './Tick.js'

/** Where an event stands in one history: its revision, and the running hash after its tick. An event says both. */
export type TakenEvent = { readonly revision: number; readonly hash: string }

// The codec of a hash is not for browsers: it stands beside what makes them.
const hashPattern = /^[0-9a-f]{64}$/

/** The revision that comes after it. */
export const revisionAfter = ({ revision, hash }: TakenEvent): number => {
  if (!Number.isSafeInteger(revision) || revision < 0 || !hashPattern.test(hash))
    throw new CarillonError(
      'request-invalid',
      'A subscription that goes on after an event is given its revision and its hash, as the event says them.',
    )
  return revision + 1
}

/** Reads the tick that holds its revision, by what reads a log from a revision on. */
export const holdsEvent = async (
  read: (fromRevision: number) => AsyncIterable<EncodedTick>,
  { revision, hash }: TakenEvent,
): Promise<boolean> => {
  for await (const tick of read(revision)) return tick.firstRevision <= revision && tick.hash === hash
  return false
}
