/**
 * What a replay has found: how much was looked at, and everything in which today's code and the recorded log differ.
 */
import type { Hash } from '../../encoding/hash.js'
import type { Head } from '../../log/Tick.js'
import type { SourcePlace } from '../traceFlows.js'

/** Something in which a log and today's code differ. */
export type ReplayProblem = {
  /** The log itself, its views, a flow's code, a contract, what a state asks for, or a projection. */
  readonly kind: 'log' | 'views' | 'flow' | 'contract' | 'activity' | 'projection'
  /** The revision of the event it was found at. */
  readonly revision: number
  /** A sentence for people. */
  readonly what: string
  /** The flow, for differences between its code and its record. */
  readonly flow?: { readonly id: string; readonly name: string }
  /** The place in the record, counted from 0. */
  readonly operation?: number
  readonly recorded?: string
  readonly coded?: string
  /** The line of the flow's code, as far as it is known. */
  readonly source?: SourcePlace
}

/** What a replay has found. */
export type ReplayReport = {
  readonly ticks: number
  readonly events: number
  readonly transactions: number
  /** Flows whose code was run again. */
  readonly flows: number
  /** Flows that could not be judged: they asked for a random id and ended before it was recorded. */
  readonly flowsUnjudged: number
  readonly head: Head
  /** Digest of the rebuilt views, table by table. */
  readonly viewsDigest: Hash
  /** Digest of what the views answer: vault, agenda and flows, whatever tables they are kept in. */
  readonly answersDigest: Hash
  /** What today's projections give for the log, by name, as they would be kept; those of a database are not folded. */
  readonly projections: Readonly<Record<string, unknown>>
  readonly problems: readonly ReplayProblem[]
}

/** A problem as one paragraph. */
export const describeProblem = ({ kind, revision, what, source }: ReplayProblem): string =>
  `revision ${revision} (${kind}): ${what}${source === undefined ? '' : ` See ${source.file}:${source.line}.`}`
