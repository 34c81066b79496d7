/**
 * How a node is at this moment; undefined when none answers in time, which is no reason not to show what its store holds.
 */
import { HealthC, type Health } from '../http/answers.js'
import { NodeApi, patienceMs, type NodePlace } from './NodeApi.js'

export const healthOf = (place: NodePlace): Promise<Health | undefined> =>
  NodeApi.at(place)
    .get('/health', {}, HealthC, AbortSignal.timeout(patienceMs))
    .catch(() => undefined)
