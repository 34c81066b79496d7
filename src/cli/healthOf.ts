/**
 * How the node that runs on a store is at this moment; undefined when none answers, which is no reason not to show what
 * the store holds.
 */
import { HealthC, type Health } from '../http/answers.js'
import { NodeApi } from './NodeApi.js'

export const healthOf = (store: string): Promise<Health | undefined> =>
  NodeApi.at({ store })
    .get('/health', {}, HealthC)
    .catch(() => undefined)
