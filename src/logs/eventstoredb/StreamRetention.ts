/**
 * Whether a stream keeps every event it was given. A stream with a limit, a truncation or a deletion is no log: its
 * appends are still accepted, and its older events are gone.
 */
import type { StreamMetadata } from '@eventstore/db-client'

/** What to do about a stream that has lost events: every node has them all. */
export const leadOut =
  'Every node keeps a whole copy of its log in its store folder: stop the node, run "carillon log copy <store folder> <address of a new stream>", and start it with --log and the new address.'

/** The server truncates before this revision when a stream is deleted softly. */
const endOfTime = 2 ** 63

/** What the metadata of the stream say about what is kept; undefined when everything is. */
const limitIn = (metadata: StreamMetadata | undefined): string | undefined => {
  const { maxAge, maxCount, truncateBefore } = metadata ?? {}
  if (truncateBefore !== undefined && Number(truncateBefore) >= endOfTime) return 'the stream was deleted'
  if (truncateBefore !== undefined) return `the stream is truncated before event ${truncateBefore} ($tb)`
  if (maxCount !== undefined) return `the stream keeps ${maxCount} events only ($maxCount)`
  if (maxAge !== undefined) return `the stream keeps its events for ${maxAge} seconds only ($maxAge)`
  return undefined
}

/** Why a stream does not hold what it was given; undefined when it does. `first` is the first event that can be read. */
export const forgetsBecause = (metadata: StreamMetadata | undefined, first: bigint | undefined): string | undefined => {
  const limit = limitIn(metadata)
  if (limit !== undefined) return limit
  return first === undefined || first === 0n
    ? undefined
    : `the stream begins with event ${first}; those before are gone`
}
