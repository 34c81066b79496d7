/**
 * What a decision about states depends on. It is read-only: a decider returns events or refuses, and changes nothing.
 */
import type { NetworkMap } from '../identity/NetworkMap.js'
import type { Party } from '../identity/Party.js'
import type { Definitions } from '../ledger/Definitions.js'
import type { VaultRead } from './VaultTables.js'

export type VaultReads = {
  readonly me: Party
  readonly network: NetworkMap
  readonly registry: Definitions
  readonly views: VaultRead
}
