/**
 * Wakes the flows that wait for what has come. A flow that is held is not woken.
 */
import type { Instant } from '../time/Instant.js'
import type { Model } from './Model.js'
import { readied, type ModelFlow } from './ModelFlow.js'

export const wakeWhere = ({ flows, waiting }: Model, has: (flow: ModelFlow) => boolean, at: Instant): void => {
  for (const id of waiting) {
    const flow = flows.get(id)
    if (flow?.status === 'running' && has(flow)) flows.set(id, readied(flow, at))
  }
}
