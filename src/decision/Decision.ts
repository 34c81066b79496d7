/**
 * What a decision is made with: the tick's time, the views, the app, and a way to state facts. Decisions check
 * everything before they emit, so a refused one leaves no trace; whatever must not happen before the facts are
 * durable is handed to `release`.
 */
import type { Registry } from '../app/Registry.js'
import type { KeyPair } from '../identity/KeyPair.js'
import type { SignedTransaction } from '../ledger/SignedTransaction.js'
import type { TransactionId } from '../ledger/TransactionId.js'
import type { NetworkMap } from '../identity/NetworkMap.js'
import type { Party } from '../identity/Party.js'
import type { DomainEvent } from '../log/events.js'
import type { Instant } from '../time/Instant.js'
import type { TransactionParts } from '../vault/TransactionParts.js'
import type { ReadViews } from '../engine/Views.js'
import type { Random } from '../identity/Random.js'

export type Decision = {
  readonly now: Instant
  readonly nowMs: number
  readonly me: Party
  readonly registry: Registry
  readonly network: NetworkMap
  readonly views: ReadViews
  readonly random: Random
  /** Extra checks that cost time: clock reads in `nextScheduledActivity`, flows run again at each suspension. */
  readonly development: boolean
  /** Whether a function reads the clock while it runs: app code that must not is watched while it is asked. */
  readonly readsClock: (run: () => unknown) => boolean
  /** A recorded transaction with its signatures, as it can be shown to another party. */
  readonly signedTransaction: (id: TransactionId) => SignedTransaction
  /** States a fact: folds it into the views and adds it to the tick. Refuses one too large for any tick. */
  readonly emit: (event: DomainEvent, fresh?: TransactionParts) => void
  /** Whether the tick has reached its size and what remains must wait for the next. */
  readonly isFull: () => boolean
  /** Whether a transaction was recorded in this tick. */
  readonly hasRecorded: () => boolean
  /** About how long an input waits that arrives now. */
  readonly waitMs: () => number
  /** How long a request to this node as a notary may have to wait before its caller is told to come back later. */
  readonly notaryWaitMs: number
  /** Runs after the tick is durable; never when it is rolled back. */
  readonly release: (action: () => void) => void
}

/** A decision that can sign in this party's name. Only what signs asks for it. */
export type SigningDecision = Decision & { readonly key: KeyPair }
