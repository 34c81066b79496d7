/**
 * What a decision about flows depends on. It is read-only: a decider returns events or refuses, and changes nothing.
 */
import type { Random } from '../identity/Random.js'
import type { Instant } from '../time/Instant.js'
import type { Page, VaultQuery } from '../vault/query/VaultQuery.js'
import type { StateRow } from '../vault/StateRow.js'
import type { VaultReads } from '../vault/VaultReads.js'
import type { VaultRead } from '../vault/VaultTables.js'
import type { FlowsReadTables } from './FlowTables.js'

export type FlowReads = VaultReads & {
  /** The time of the tick. */
  readonly now: Instant
  readonly nowMs: number
  readonly random: Random
  readonly views: VaultRead &
    FlowsReadTables & {
      /** States that fulfil what is asked, in the order of the query; those that other flows have locked can be left out. */
      readonly query: (query: VaultQuery, flowSeq: number | undefined) => Page<Readonly<StateRow>, string>
    }
}
