/**
 * What a decision about flows depends on. It is read-only: a decider returns events or refuses, and changes nothing.
 */
import type { Random } from '../identity/Random.js'
import type { Instant } from '../time/Instant.js'
import type { VaultReads } from '../vault/VaultReads.js'
import type { FlowsReadTables } from './FlowTables.js'

export type FlowReads = VaultReads & {
  /** The time of the tick. */
  readonly now: Instant
  readonly nowMs: number
  readonly random: Random
  readonly views: FlowsReadTables
}
