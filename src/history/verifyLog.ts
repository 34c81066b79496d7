/**
 * Verifies a whole log: whoever alters, drops, reorders or forges any part of it, and does not hold the node's key, is found
 * out here. That its end was cut off shows against a checkpoint that someone else has kept.
 */
import { CarillonError } from '../errors/CarillonError.js'
import { historyLimits } from './limits.js'
import type { PublicKey } from '../identity/PublicKey.js'
import type { EncodedTick, Head } from '../log/Tick.js'
import { inThreads, unvouched } from './inThreads.js'
import { LogChecker, type LogCheckerOptions } from './LogChecker.js'
import type { FoundProblem, LogProblem } from './LogProblem.js'

/** What a check of a whole log has found. */
export type LogReport = {
  readonly ticks: number
  readonly events: number
  /** Where the log ends, as it says itself. Give a checkpoint that was kept elsewhere, and a cut-off tail is found. */
  readonly head: Head
  readonly transactions: number
  /** The key that signs the log at its end; undefined for an empty log. */
  readonly signedBy?: PublicKey
  /** Empty when the log is sound; the first fault first. Of very many problems only the first ones are listed. */
  readonly problems: readonly LogProblem[]
}

/** How a log is verified. */
export type VerifyOptions = LogCheckerOptions & {
  /** Called with the number of events checked so far. */
  readonly onProgress?: (events: number) => void
}

const withoutCause = ({ kind, revision, untilRevision, what }: FoundProblem): LogProblem => ({
  kind,
  revision,
  ...(untilRevision === undefined || untilRevision <= revision ? {} : { untilRevision }),
  what,
})

/** How much of a log is read before threads are started: a short one is checked sooner than they have begun. */
const shortLogBytes = 8 * 1_048_576

/** A store's row, or a line of an export, that cannot be read. */
const unreadableCodes: ReadonlySet<string> = new Set(['store-corrupt', 'import-invalid'])

/** Reads a log from its first tick on and reports everything about it that does not hold. */
export const verifyLog = async (
  ticks: AsyncIterable<EncodedTick>,
  { onProgress, ...options }: VerifyOptions = {},
): Promise<LogReport> => {
  const checker = new LogChecker(options)
  const problems: FoundProblem[] = []
  const note = (found: readonly FoundProblem[]): void => {
    problems.push(...found.slice(0, historyLimits.problemsReported - problems.length))
  }
  try {
    const vouched = options.decode === true ? unvouched(ticks) : inThreads(ticks, shortLogBytes)
    for await (const { tick, vouch } of vouched) {
      note(checker.check(tick, vouch).problems)
      onProgress?.(checker.counts.events)
    }
  } catch (error) {
    // A row that cannot even be read is what verification looks for; anything else is the caller's to hear.
    if (!(error instanceof CarillonError) || !unreadableCodes.has(error.code)) throw error
    const revision = checker.head.revision + 1
    note([{ kind: 'malformed', revision, what: `the log cannot be read further: ${error.message}` }])
  }
  note(checker.end())
  const { signedBy } = checker
  return {
    ...checker.counts,
    head: checker.head,
    ...(signedBy === undefined ? {} : { signedBy }),
    problems: problems.map(withoutCause),
  }
}
