/**
 * What is left when a simulated history is over and everything has been mended: what invariants judge.
 */
import type { App } from '../../app/App.js'
import type { Party } from '../../identity/Party.js'
import type { Instant } from '../../time/Instant.js'
import type { LoggedEvent, NodeInspection } from '../NodeInspection.js'
import type { VirtualNetwork } from '../VirtualNetwork.js'
import type { BoundaryCounts } from './Boundaries.js'
import type { Plan } from './Plan.js'
import type { ReplayReport } from '../replay/ReplayReport.js'
import type { Witness } from './Witness.js'

/** What one party has at the end. */
export type PartyAtEnd = {
  readonly name: string
  readonly party: Party
  /** Everything its log says. */
  readonly log: readonly LoggedEvent[]
  readonly inspect: NodeInspection
  /** Its log, replayed against the app. */
  readonly replayed: ReplayReport
  /** Where its ticks and its views differ from the model, one sentence each. */
  readonly model: { readonly ticks: readonly string[]; readonly views: readonly string[] }
}

/** A simulated network at the end of its history. */
export type World = {
  readonly app: App
  readonly plan: Plan
  readonly network: VirtualNetwork
  readonly parties: readonly PartyAtEnd[]
  /** The keys of hostile members, who have no log to show. */
  readonly hostile: ReadonlySet<string>
  /** What hostile members were given and must never be given, one sentence each. */
  readonly granted: readonly string[]
  readonly witness: Witness
  /** How often its nodes met each boundary. */
  readonly boundaries: BoundaryCounts
  /** Nodes that stopped although nothing was done to them, and why. */
  readonly stopped: readonly string[]
  /** Nodes that were idle although something was due, by the model. */
  readonly sleptThrough: readonly string[]
  /** When everything was mended: from then on nobody has an excuse. */
  readonly mendedAt: Instant
  /** False when there was more to do than a simulation waits for: then what is under way says nothing. */
  readonly isSettled: boolean
}

/** Something that must be true of every world. */
export type Invariant = {
  /** A sentence: what must hold. */
  readonly name: string
  /** What speaks against it, one sentence each; nothing when it holds. */
  readonly violations: (world: World) => readonly string[] | Promise<readonly string[]>
}
