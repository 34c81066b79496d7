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
}

/** How a step is retried unless it says otherwise. */
export const defaultRetry: RetryPolicy = { attempts: 5, firstWaitMs: 1_000, longestWaitMs: 60_000 }

/** Refuses a policy that no clock can follow. */
export const assertRetryPolicy = (step: string, { attempts, firstWaitMs, longestWaitMs }: RetryPolicy): void => {
  const isWait = (ms: number): boolean => Number.isFinite(ms) && ms >= 0
  if (Number.isSafeInteger(attempts) && attempts >= 1 && isWait(firstWaitMs) && isWait(longestWaitMs)) return
  throw new CarillonError(
    'definition-invalid',
    `The retry policy of step "${step}" has ${attempts} attempts, a first wait of ${firstWaitMs} ms and a longest wait of ${longestWaitMs} ms. Attempts are whole numbers from 1, waits are milliseconds from 0.`,
    { step },
  )
}

/** The wait after the given try has failed (1 for the first), doubling and capped, in whole milliseconds. */
export const waitAfter = (policy: Pick<RetryPolicy, 'firstWaitMs' | 'longestWaitMs'>, attempt: number): number =>
  Math.ceil(Math.min(policy.firstWaitMs * 2 ** Math.min(attempt - 1, 30), policy.longestWaitMs))
