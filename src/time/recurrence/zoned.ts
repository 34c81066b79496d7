/**
 * A sequence of local times as the instants they mean in a zone. Away from the days on which clocks change this is
 * a plain shift; near them the policy decides, and instants come in order even where local times do not.
 */
import { offsetMs, type Zone } from '../Zone.js'
import { instantsOf, type DstPolicy } from './DstPolicy.js'
import { displaced, type Reach, type Sequence } from './Sequence.js'

const dayAndMoreMs = 26 * 3_600_000

/** The least and greatest offsets that local times near an instant may be read with, as a reach from local to UTC. */
const reachAt = (zone: Zone, atMs: number): Reach => {
  const before = offsetMs(zone, atMs - dayAndMoreMs)
  const after = offsetMs(zone, atMs + dayAndMoreMs)
  const change = Math.abs(after - before)
  if (change > 0) {
    const from = offsetMs(zone, atMs - change)
    // What a change of clocks displaces stays within the length of the change.
    if (from === offsetMs(zone, atMs + change)) return { low: -from, high: -from }
  }
  return { low: -Math.max(before, after), high: -Math.min(before, after) }
}

export const zoned = (local: Sequence, zone: Zone, policy: DstPolicy): Sequence =>
  displaced(local, {
    images: (point) => instantsOf(zone, policy, point),
    reachOfImage: (image) => reachAt(zone, image),
    reachOfPoint: (point) => reachAt(zone, point - offsetMs(zone, point)),
  })
