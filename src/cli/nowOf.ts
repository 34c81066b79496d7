/**
 * What time it is for a store: that of the node that runs on it, whose clock may be a virtual one; without a node, that
 * of this machine, or the end of the log when it was written on a virtual clock, or on one that is ahead of it.
 */
import { readStore } from '../folder/readStore.js'
import { ranOnVirtualTime } from '../folder/storeClock.js'
import { toMillis } from '../time/Instant.js'
import { readFacts } from '../storage/tables/NodeFactTable.js'
import { healthOf } from './healthOf.js'

export const nowOf = async (store: string): Promise<number> => {
  const health = await healthOf(store)
  if (health?.now !== undefined) return toMillis(health.now)
  const { atMs } = readStore(store, readFacts)
  return ranOnVirtualTime(store) ? atMs : Math.max(Date.now(), atMs)
}
