/**
 * Vouching for a tick: whoever has checked it by itself and found nothing wrong says so, with what the check of the
 * whole log still needs of it. Where there is any doubt there is no vouching, and the tick is checked where the words
 * for its fault are found.
 */
import type { PublicKey } from '../identity/PublicKey.js'
import type { SigningContext } from '../ledger/SignedTransaction.js'
import { hashAfterTick, type EncodedTick, type HashLink } from '../log/Tick.js'
import type { SignerTracker } from '../log/SignerTracker.js'
import type { TickSigner } from '../log/TickSigner.js'
import type { FoundProblem, Report } from './LogProblem.js'
import { checkTickSignature, type Proof, type TickChecker } from './TickChecker.js'

/** What a tick is believed to be signed with, and whose log it is. */
export type PresumedSigner = TickSigner & { readonly party: PublicKey }

export type Vouch = {
  readonly proofs: readonly Proof[]
  readonly transactions: number
  /** What the tick was found to be signed with. */
  readonly signer: PresumedSigner
  /** The keys of all signatures that its transactions bring. */
  readonly signedBy: readonly PublicKey[]
}

const presumedIdentity = (signer: PresumedSigner, key: PublicKey): PublicKey =>
  key === signer.key ? signer.party : key

/** Whether a vouch is for a tick with this signer, and every key in it is whose it was believed to be. */
export const isVouchedFor = (
  { signer, signedBy }: Vouch,
  expected: TickSigner | undefined,
  signers: Pick<SignerTracker, 'contextOf' | 'party'>,
): boolean => {
  if (signer.key !== expected?.key || signer.network !== expected.network || signer.party !== signers.party)
    return false
  const { identityOf } = signers.contextOf(expected)
  return signedBy.every((key) => identityOf(key) === presumedIdentity(signer, key))
}

/** `before` is the link that the tick before it claims. */
export const vouchFor = (
  checker: TickChecker,
  before: HashLink,
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
  // Keys of other parties may have changed. Whoever knows of that looks again.
  const contextOf = ({ network }: TickSigner): SigningContext => ({
    id: network,
    identityOf: (key) => presumedIdentity(signer, key),
    currentKeyOf: (identity) => (identity === signer.party ? signer.key : identity),
  })
  if (doubts === 0) checkTickSignature(tick, findings, signer, { contextOf, keys: [], party: signer.party }, doubt)
  if (doubts > 0) return undefined
  const { proofs, transactions, recorded } = findings
  const signedBy = new Set(recorded.flatMap(({ signatures = [] }) => signatures.map(({ by }) => by)))
  return { proofs, transactions, signer, signedBy: [...signedBy] }
}
