/**
 * What a notary's decision depends on. It is read-only: a decider returns events or refuses, and changes nothing.
 */
import type { Instant } from '../time/Instant.js'
import type { VaultReads } from '../vault/VaultReads.js'
import type { NotaryRead } from './NotaryTables.js'

export type NotaryReads = VaultReads & { readonly now: Instant; readonly views: NotaryRead }
