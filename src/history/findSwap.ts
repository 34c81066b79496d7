/**
 * Whether two events of a tick have changed places: when exchanging them back gives the hash the tick should have.
 */
import { hashAfterTick, joinedLines, type EncodedTick, type HashLink } from '../log/Tick.js'

/** Bytes that are hashed in search of a swap; beyond that the tick is simply altered. */
const mostBytes = 32 * 1024 * 1024

/** The places of the two events, counted from 0; undefined when no exchange explains the hash. */
export const findSwap = (before: HashLink, tick: EncodedTick): readonly [number, number] | undefined => {
  const { events } = tick
  let bytes = 0
  const size = joinedLines(tick.events).length
  // Neighbours first: that is what most often happens.
  for (let distance = 1; distance < events.length; distance++) {
    for (let first = 0; first + distance < events.length; first++) {
      const one = events[first]
      const other = events[first + distance]
      if (one === undefined || other === undefined || one === other) continue
      bytes += size
      if (bytes > mostBytes) return undefined
      const back = events.with(first, other).with(first + distance, one)
      if (hashAfterTick(before, { ...tick, events: back }) === tick.hash) return [first, first + distance]
    }
  }
  return undefined
}
