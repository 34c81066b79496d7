/**
 * Waits until an instant. One that has passed does not wait.
 */
import { toMillis, type Instant } from '../../time/Instant.js'
import { valueAnswer } from '../Answer.js'
import { defineOperation } from '../defineOperation.js'
import type { FlowReads } from '../FlowReads.js'

export type SleepUntil = { readonly kind: 'sleepUntil'; readonly until: Instant }

export const sleepUntil = defineOperation<SleepUntil, FlowReads>({
  kind: 'sleepUntil',
  identity: ({ until }) => ({ until }),
  label: ({ until }) => `sleepUntil ${until}`,
  decide: ({ nowMs }, { until }) => {
    const atMs = toMillis(until)
    return atMs <= nowMs ? valueAnswer(undefined) : { kind: 'until', atMs }
  },
})
