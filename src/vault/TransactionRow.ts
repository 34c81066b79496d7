/**
 * One transaction as the vault holds it: where it stands in the log and where its outputs begin.
 */
import type { PublicKey } from '../identity/PublicKey.js'
import type { TransactionId } from '../ledger/TransactionId.js'

export type TransactionRow = {
  readonly seq: number
  readonly id: TransactionId
  /** The revision of the event that recorded it. */
  readonly revision: number
  /** The number of the tick that holds it. */
  readonly tick: number
  readonly atMs: number
  /** Sequence number of the first output's state. */
  readonly firstState: number
  readonly outputs: number
  /** The notary its outputs stand under; null for this node itself. */
  readonly notary: PublicKey | null
}
