/**
 * How often and how patiently a failing step is tried again.
 */
export type RetryPolicy = {
  /** Tries in all, the first included. */
  readonly attempts: number
  /** Wait before the second try; it doubles from there. */
  readonly firstWaitMs: number
  /** The wait never grows beyond this. */
  readonly longestWaitMs: number
}

/** How a step is retried unless it says otherwise. */
export const defaultRetry: RetryPolicy = { attempts: 5, firstWaitMs: 1_000, longestWaitMs: 60_000 }

/** The wait after the given try has failed (1 for the first), doubling and capped. */
export const waitAfter = (policy: Pick<RetryPolicy, 'firstWaitMs' | 'longestWaitMs'>, attempt: number): number =>
  Math.min(policy.firstWaitMs * 2 ** Math.min(attempt - 1, 30), policy.longestWaitMs)
