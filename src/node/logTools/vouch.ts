/**
 * Vouching for a tick: whoever has checked it by itself and found nothing wrong says so, with what the check of the
 * whole log still needs of it. Where there is any doubt there is no vouching, and the tick is checked where the words
 * for its fault are found.
 */
import type { SigningContext } from '../../ledger/SignedTransaction.js'
import { hashAfterTick, type EncodedTick, type Link } from '../../log/Tick.js'
import type { TickSigner } from '../../log/TickSigner.js'
import type { FoundProblem, Report } from './LogProblem.js'
import { checkTickSignature, type Proof, type TickChecker } from './TickChecker.js'

export type Vouch = {
  readonly proofs: readonly Proof[]
  readonly transactions: number
  /** What the tick was found to be signed with. */
  readonly signer: TickSigner
}

/** Whether a vouch is for a tick with this signer. */
export const isVouchedFor = ({ signer }: Vouch, expected: TickSigner | undefined): boolean =>
  signer.key === expected?.key && signer.network === expected.network

/** What a tick is believed to be signed with, and whose log it is. */
export type PresumedSigner = TickSigner & { readonly party: TickSigner['key'] }

/** `before` is the link that the tick before it claims. */
export const vouchFor = (
  checker: TickChecker,
  before: Link,
  tick: EncodedTick,
  signer: PresumedSigner | undefined,
): Vouch | undefined => {
  if (signer === undefined || hashAfterTick(before, tick) !== tick.hash) return undefined
  let doubts = 0
  const doubt = (revision: number): Report => {
    return (kind, what): FoundProblem => {
      doubts += 1
      return { kind, revision, what }
    }
  }
  const findings = checker.read(tick, doubt)
  // Keys of other parties may have changed. Whoever knows of that looks again where this finds a signature missing.
  const contextOf = ({ network }: TickSigner): SigningContext => ({
    id: network,
    identityOf: (key) => (key === signer.key ? signer.party : key),
    currentKeyOf: (identity) => (identity === signer.party ? signer.key : identity),
  })
  if (doubts === 0) checkTickSignature(tick, findings, signer, { contextOf, keys: [] }, doubt)
  const { proofs, transactions } = findings
  return doubts === 0 ? { proofs, transactions, signer: { key: signer.key, network: signer.network } } : undefined
}
