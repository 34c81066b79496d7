/**
 * Waits for a duration.
 */
import { latestInstantMs } from '../../time/Instant.js'
import { defineOperation } from '../defineOperation.js'

export type Sleep = { readonly kind: 'sleep'; readonly durationMs: number }

export const sleep = defineOperation<Sleep>({
  kind: 'sleep',
  identity: ({ durationMs }) => ({ durationMs }),
  label: ({ durationMs }) => `sleep ${durationMs} ms`,
  perform: ({ nowMs }, { durationMs }) => ({ kind: 'until', atMs: Math.min(nowMs + durationMs, latestInstantMs) }),
})
