/**
 * What an app agrees to when another party asks for it and no flow of its own does. Without its word the answer is no:
 * that a party takes part in a state is not its consent.
 */
import type { Either } from 'fp-ts/lib/Either.js'
import type { Party } from '../identity/Party.js'
import type { LedgerTransaction } from './LedgerTransaction.js'

/** The reason to refuse, or nothing. `from` is the party that asks. It depends on the two alone. */
export type Consent = (transaction: LedgerTransaction, from: Party) => Either<string, void>

/** What an app agrees to by itself. Whatever is left out is refused. */
export type Consents = {
  /**
   * Recording a final transaction that this party has not signed and none of its flows has asked for: as an observer, or
   * as a participant whose signature the contract does not want.
   */
  readonly observe?: Consent
  /** Signing a change of notary. It is certain by then that the party that asks takes part in every state. */
  readonly changeNotary?: Consent
}
