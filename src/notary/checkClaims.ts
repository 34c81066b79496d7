/**
 * The notary's judgement: each state is consumed once, and the time window is open. Conflicts come before
 * windows, so that whoever lost a race learns of it, whatever the time.
 */
import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { CarillonError } from '../errors/CarillonError.js'
import { showRef, type StateRef } from '../ledger/StateRef.js'
import { windowContains, type TimeWindow } from '../ledger/TimeWindow.js'
import type { TransactionId } from '../ledger/TransactionId.js'
import type { Instant } from '../time/Instant.js'

/** A state that a transaction consumes or references, and what has consumed it already, if anything. */
export type Claim = { readonly ref: StateRef; readonly consumedBy: TransactionId | undefined }

export const checkClaims = (
  claims: readonly Claim[],
  timeWindow: TimeWindow | undefined,
  now: Instant,
): Either<CarillonError, void> => {
  for (const { ref, consumedBy } of claims) {
    if (consumedBy === undefined) continue
    const text = showRef(ref)
    return left(
      new CarillonError(
        'state-consumed',
        `State ${text} was already consumed by transaction ${consumedBy}. Load the current state and build the transaction anew.`,
        { ref: text, consumedBy },
      ),
    )
  }
  if (timeWindow !== undefined && !windowContains(timeWindow, now)) {
    return left(
      new CarillonError(
        'time-window-closed',
        `The transaction may be notarised from ${timeWindow.from ?? 'any time'} until before ${timeWindow.until ?? 'any time'}; it is ${now}.`,
        { now },
      ),
    )
  }
  return right(undefined)
}
