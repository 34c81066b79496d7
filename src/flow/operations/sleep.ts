/**
 * Waits for a duration.
 */
import { latestInstantMs } from '../../time/Instant.js'
import { defineOperation } from '../defineOperation.js'
import type { FlowReads } from '../FlowReads.js'

export type Sleep = { readonly kind: 'sleep'; readonly durationMs: number }

export const sleep = defineOperation<Sleep, FlowReads>({
  kind: 'sleep',
  identity: ({ durationMs }) => ({ durationMs }),
  label: ({ durationMs }) => `sleep ${durationMs} ms`,
  decide: ({ nowMs }, { durationMs }) => ({ kind: 'until', atMs: Math.min(nowMs + durationMs, latestInstantMs) }),
})
