/**
 * Verifies a whole log: whoever alters, drops, reorders or forges any part of it is found out here.
 */
import { CarillonError } from '../../errors/CarillonError.js'
import { limits } from '../../limits.js'
import type { EncodedTick, Head } from '../../log/Tick.js'
import { LogChecker } from './LogChecker.js'

/** What a check of a whole log has found. */
export type LogReport = {
  readonly ticks: number
  readonly events: number
  /** Where the log ends, as it says itself. Compare it with a head you were given to find a cut-off tail. */
  readonly head: Head
  readonly transactions: number
  readonly signedHeads: number
  /** Empty when the log is sound. Of very many problems only the first ones are listed. */
  readonly problems: readonly { readonly revision: number; readonly what: string }[]
}

/** Reads a log from its first tick on and reports everything about it that does not hold. */
export const verifyLog = async (
  ticks: AsyncIterable<EncodedTick>,
  onProgress?: (events: number) => void,
): Promise<LogReport> => {
  const checker = new LogChecker()
  const problems: { readonly revision: number; readonly what: string }[] = []
  try {
    for await (const tick of ticks) {
      for (const { revision, what } of checker.check(tick).problems)
        if (problems.length < limits.problemsReported) problems.push({ revision, what })
      onProgress?.(checker.counts.events)
    }
  } catch (error) {
    // A row that cannot even be read is what verification looks for; anything else is the caller's to hear.
    if (!(error instanceof CarillonError) || error.code !== 'store-corrupt') throw error
    problems.push({ revision: checker.head.revision + 1, what: `the log cannot be read further: ${error.message}` })
  }
  return { ...checker.counts, head: checker.head, problems }
}
