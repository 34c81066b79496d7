/**
 * What can be wrong with a log, and where. Kinds are few, so that a program can act on them; the words say the rest.
 */

/**
 * `altered`: something was changed. `missing`: something was taken out. `reordered`: something stands in another place.
 * `cut-off`: the log ends before a head that was signed. `forged`: a signature is missing, or not that of whoever must
 * sign. `malformed`: no node of this version would have written it.
 */
export type LogFault = 'altered' | 'missing' | 'reordered' | 'cut-off' | 'forged' | 'malformed'

/** Something that does not hold, and where. */
export type LogProblem = {
  readonly kind: LogFault
  /** The revision of the event, or the first of those among which the fault lies. */
  readonly revision: number
  /** The last of those among which the fault lies, where that is not one event alone. */
  readonly untilRevision?: number
  readonly what: string
}

/** A problem as it is found: what follows it in the log may still tell more about it. */
export type FoundProblem = {
  kind: LogFault
  revision: number
  untilRevision?: number
  what: string
  readonly cause?: unknown
}

/** Notes a problem at a revision, and returns it, so that its description can be corrected. */
export type Report = (kind: LogFault, what: string, cause?: unknown) => FoundProblem

export const rangeText = (from: number, until: number): string =>
  from >= until ? `revision ${from}` : `revisions ${from} to ${until}`
