/**
 * How often and how patiently a failing step is tried again.
 */
import { CarillonError } from '../errors/CarillonError.js'

/** How often and how patiently a failing step is tried again. */
export type RetryPolicy = {
  /** Tries in all, the first included. */
  readonly attempts: number
  /** Wait before the second try; it doubles from there. */
  readonly firstWaitMs: number
  /** The wait never grows beyond this. */
  readonly longestWaitMs: number
  /** Each wait is longer by a random share up to this one, so that what failed together is not tried again together. */
  readonly jitter: number
}

/** How a step is retried unless it says otherwise. */
export const defaultRetry: RetryPolicy = { attempts: 5, firstWaitMs: 1_000, longestWaitMs: 60_000, jitter: 0.1 }

/** Refuses a policy that no clock can follow. */
export const assertRetryPolicy = (
  what: string,
  { attempts, firstWaitMs, longestWaitMs, jitter }: RetryPolicy,
): void => {
  const isWait = (ms: number): boolean => Number.isFinite(ms) && ms >= 0
  const isShare = Number.isFinite(jitter) && jitter >= 0 && jitter <= 1
  if (Number.isSafeInteger(attempts) && attempts >= 1 && isWait(firstWaitMs) && isWait(longestWaitMs) && isShare) return
  throw new CarillonError(
    'definition-invalid',
    `The retry policy of ${what} has ${attempts} attempts, a first wait of ${firstWaitMs} ms, a longest wait of ${longestWaitMs} ms and a jitter of ${jitter}. Attempts are whole numbers from 1, waits are milliseconds from 0, the jitter is a share from 0 to 1.`,
    { of: what },
  )
}

/** The wait after the given try has failed (1 for the first), doubling and capped, in whole milliseconds. */
export const waitAfter = (policy: Pick<RetryPolicy, 'firstWaitMs' | 'longestWaitMs'>, attempt: number): number =>
  Math.ceil(Math.min(policy.firstWaitMs * 2 ** Math.min(attempt - 1, 30), policy.longestWaitMs))

/** The wait after a try, with its random share; `draw` gives hex digits. */
export const jitteredWait = (policy: RetryPolicy, attempt: number, draw: (bytes: number) => string): number => {
  const wait = waitAfter(policy, attempt)
  if (policy.jitter === 0 || wait === 0) return wait
  return Math.ceil(wait * (1 + policy.jitter * (Number.parseInt(draw(2), 16) / 0xffff)))
}
