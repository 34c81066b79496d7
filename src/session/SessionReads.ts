/**
 * What a decision about sessions depends on. It is read-only: a decider returns events or refuses, and changes nothing.
 */
import type { FlowReads } from '../flow/FlowReads.js'
import type { SessionLimits } from './limits.js'
import type { SessionsReadTables } from './SessionTables.js'

export type SessionReads = FlowReads & {
  readonly views: SessionsReadTables
  readonly limits: { readonly session: SessionLimits }
}
