/**
 * Vouching for a tick: whoever has checked it by itself and found nothing wrong says so, with what the check of the
 * whole log still needs of it. Where there is any doubt there is no vouching, and the tick is checked where the words
 * for its fault are found.
 */
import type { Hash } from '../../encoding/hash.js'
import { hashAfterTick, type EncodedTick } from '../../log/Tick.js'
import type { FoundProblem } from './LogProblem.js'
import type { Proof, TickChecker } from './TickChecker.js'

export type Vouch = { readonly proofs: readonly Proof[]; readonly transactions: number }

/** `before` is the running hash that the tick before it claims. */
export const vouchFor = (checker: TickChecker, before: Hash, tick: EncodedTick): Vouch | undefined => {
  let doubts = hashAfterTick(before, tick) === tick.hash ? 0 : 1
  const { proofs, transactions } = checker.check(tick, (revision) => (kind, what): FoundProblem => {
    doubts += 1
    return { kind, revision, what }
  })
  return doubts === 0 ? { proofs, transactions } : undefined
}
