/**
 * The sequence of the network: consensus time that only goes forwards, the next number of an entity, and the buckets
 * of the throttles. Every handled transaction takes its turn here.
 */
import * as t from 'io-ts'
import { IntegerC, PartyC } from 'carillon'
import { record } from '../../shared/record.js'
import { latest, nextNano, TimestampC, type Timestamp } from './ids.js'
import { entryOf, type Settings } from './Settings.js'

/** How many operations of a kind the current second has seen. */
const BucketC = record('Bucket', { second: IntegerC, taken: IntegerC })

export const ConsensusC = record('Consensus', {
  operator: PartyC,
  /** The latest consensus time given out. */
  last: TimestampC,
  nextEntity: IntegerC,
  /** Schedules there are: those that an identical create would meet. */
  schedules: IntegerC,
  buckets: t.readonly(t.record(t.string, BucketC)),
})
export type Consensus = t.TypeOf<typeof ConsensusC>

/** The consensus time of the next transaction. */
export const nextTime = ({ last }: Consensus, now: Timestamp): Timestamp => latest(now, nextNano(last))

/** Takes a place in this second's bucket; undefined when it is used up. */
export const takePlace = (
  consensus: Consensus,
  kind: string,
  second: number,
  settings: Settings,
): Consensus | undefined => {
  const capacity = entryOf(settings.buckets, kind)
  if (capacity === undefined) return consensus
  const bucket = entryOf(consensus.buckets, kind)
  const taken = bucket?.second === second ? bucket.taken : 0
  if (taken >= capacity) return undefined
  return { ...consensus, buckets: { ...consensus.buckets, [kind]: { second, taken: taken + 1 } } }
}
