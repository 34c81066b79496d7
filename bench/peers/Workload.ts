/**
 * One workload, measured on another system through orders to its process, and on ours by our own benchmark of the same
 * work.
 */
import type { Hired } from './Hired.js'
import type { Server } from './servers/Server.js'

/** What a workload is given: a fresh server, and processes that have the system's code loaded and nothing else. */
export type Seat = {
  readonly quick: boolean
  readonly folder: string
  readonly server: Server
  readonly hire: () => Promise<Hired>
  /** Longer when jobs could not be scheduled before they fell due. */
  readonly leadMs: number
}

export type Figures = Readonly<Record<string, number>>

export type Workload = {
  readonly name: string
  readonly measures: string
  /** The columns of the table, with their units. */
  readonly figures: Readonly<Record<string, string>>
  readonly run: (seat: Seat) => Promise<Figures>
  /** Our own benchmark, and the figures of it that stand in the same columns. */
  readonly ours: { readonly workload: string; readonly figures: (of: (figure: string) => number) => Figures }
}

/** A burst of jobs that was not wholly laid out when it fell due measures something else. */
export class LeadTooShort extends Error {}
