/**
 * What time it is for a node, whose clock may be a virtual one; without a node, what its store says.
 */
import { toMillis } from '../time/Instant.js'
import { healthOf } from './healthOf.js'
import type { NodePlace } from './NodeApi.js'
import { storedNode } from './storedNode.js'

export const nowOf = async (place: NodePlace): Promise<number> => {
  const health = await healthOf(place)
  if (health?.now !== undefined) return toMillis(health.now)
  return place.url === undefined ? storedNode(place.store).nowMs : Date.now()
}
