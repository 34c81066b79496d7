/**
 * The operations by which parties agree on a transaction.
 */
import type { Party } from '../identity/Party.js'
import type { PublicKey } from '../identity/PublicKey.js'
import type { SignedTransaction } from '../ledger/SignedTransaction.js'
import type { StateRef } from '../ledger/StateRef.js'
import type { TransactionId } from '../ledger/TransactionId.js'
import type { NotaryRequest } from '../notary/NotaryRequest.js'
import type { Role } from '../session/Message.js'
import type { SessionId } from '../session/SessionId.js'

export type LedgerOperation =
  /** This party's signature over a transaction; where it is the notary, its decision too. */
  | { readonly kind: 'sign'; readonly signed: SignedTransaction }
  /** This party's signature over a transaction of which it was shown a part. */
  | { readonly kind: 'signId'; readonly id: TransactionId }
  /** The next message of another party that sends history: what it brings is verified and recorded, or answered. */
  | {
      readonly kind: 'takeHistory'
      readonly session: SessionId
      readonly role: Role
      readonly party: string
      readonly seq: number
    }
  /** Which of a transaction's dependencies this node does not hold. */
  | { readonly kind: 'dependencies'; readonly signed: SignedTransaction }
  /** Everything about a transaction is checked, except that these keys have yet to sign. */
  | { readonly kind: 'check'; readonly signed: SignedTransaction; readonly exceptKeys: readonly PublicKey[] }
  /** Transactions are verified and recorded, in this order. */
  | { readonly kind: 'record'; readonly transactions: readonly SignedTransaction[] }
  /** A transaction that puts states under another notary and changes nothing else. */
  | { readonly kind: 'changeNotary'; readonly refs: readonly StateRef[]; readonly notary: Party }
  /** From these transactions back towards their origins: a few steps, or as many as the limit says. */
  | { readonly kind: 'walk'; readonly frontier: readonly TransactionId[]; readonly limit?: number }
  /** What the transactions build on directly. */
  | { readonly kind: 'parents'; readonly ids: readonly TransactionId[] }
  /** A page of history for the other end of a session. */
  | { readonly kind: 'vend'; readonly session: SessionId; readonly role: Role; readonly ids: readonly TransactionId[] }
  /** What a notary has to be shown of a transaction, signed by this party. */
  | { readonly kind: 'notaryRequest'; readonly signed: SignedTransaction }
  /** The notary's judgement on a request, and its signature. */
  | { readonly kind: 'notarise'; readonly request: NotaryRequest; readonly caller: Party }
