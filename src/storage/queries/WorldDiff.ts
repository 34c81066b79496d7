/**
 * What is different between two moments of a node's history. What came and went between them is only counted.
 */
import type { FlowOutcome } from '../../log/events.js'
import type { AgendaEntry } from '../../agenda/AgendaEntry.js'
import type { Instant } from '../../time/Instant.js'
import type { VaultEntry } from '../../vault/VaultEntry.js'

/** A list of which only the first items are given, and how many there are in all. */
export type Listing<A> = { readonly total: number; readonly items: readonly A[] }

/** A moment as the log has it. */
export type Place = {
  readonly revision: number
  /** The instant of the last tick; undefined before the first. */
  readonly at?: Instant
}

/** An activity that stands otherwise than it did. */
export type AgendaChange = { readonly before: AgendaEntry; readonly after: AgendaEntry }

/** What is different between two moments. */
export type WorldDiff = {
  readonly from: Place
  readonly to: Place
  readonly states: {
    readonly produced: Listing<VaultEntry>
    readonly consumed: Listing<VaultEntry>
    /** Produced and consumed in between. */
    readonly passing: number
  }
  readonly agenda: {
    readonly added: Listing<AgendaEntry>
    readonly removed: Listing<AgendaEntry>
    readonly changed: Listing<AgendaChange>
  }
  readonly flows: {
    readonly started: number
    /** By outcome, of flows that ended in between. */
    readonly ended: Readonly<Partial<Record<FlowOutcome, number>>>
  }
  readonly node: {
    readonly starts: number
    /** What the app was and is, where it has changed. */
    readonly app?: { readonly before: string; readonly after: string }
    readonly draining?: { readonly before: boolean; readonly after: boolean }
  }
}
