/**
 * An account in the hands of whoever holds its keys: makes transactions and signs them, and signs schedules. It knows
 * nothing of the network but how its transactions are written.
 */
import { randomInt } from 'node:crypto'
import type { KeyPair } from 'carillon/keys'
import type { AccountID, LedgerID, Timestamp } from '../model/ids.js'
import { scheduleTextOf, type Identity } from '../model/Identity.js'
import { sigPair, type SignatureMap, type SigPair, type Span } from '../model/SignatureMap.js'
import { usualSignatureSecs } from '../model/Settings.js'
import { signedTextOf, type SignedTransaction, type TransactionBody } from '../model/TransactionBody.js'

/** A transaction begins to be valid a little before it is sent, at a moment nobody else is likely to choose. */
const secondsBefore = 5
const nanosPerSecond = 1_000_000_000

export type Signing = Pick<TransactionBody<unknown>, 'memo' | 'transactionFee' | 'transactionValidDuration'> & {
  /** Keys besides the account's own that sign the transaction. */
  readonly alsoSigning?: readonly KeyPair[]
  /** How many digits of each key are told. Default: all. */
  readonly digits?: number
  /** Default: a few seconds ago. */
  readonly validStart?: Timestamp
}

export class Wallet {
  constructor(
    /** The network that its transactions are for. */
    readonly ledgerID: LedgerID,
    readonly accountID: AccountID,
    readonly keys: readonly KeyPair[],
    /** A number below a thousand million that is not given twice in a second. */
    readonly nextNanos: () => number = () => randomInt(nanosPerSecond),
  ) {}

  /** A transaction that this account pays for, signed. */
  transaction<O>(operation: O, now: Timestamp, signing: Signing = {}): SignedTransaction<O> {
    const { alsoSigning = [], digits, validStart, ...more } = signing
    const transactionValidStart = validStart ?? { seconds: now.seconds - secondsBefore, nanos: this.nextNanos() }
    const body = { transactionID: { accountID: this.accountID, transactionValidStart }, operation, ...more }
    const text = signedTextOf(this.ledgerID, body)
    return { body, sigMap: [...this.keys, ...alsoSigning].map((key) => sigPair(key, text, digits)) }
  }

  /** The signatures of this account on a schedule, good for the usual while. */
  signatures(identity: Identity, now: Timestamp): SignatureMap {
    return this.keys.map((key) => signIdentity(this.ledgerID, key, identity, usualSpan(now)))
  }
}

/**
 * Signs a schedule under policy `merge`: the signature holds for whatever has this identity when it is submitted, until
 * a second that it names, unless such a schedule has ended since it was made.
 */
export const signIdentity = (
  ledgerID: LedgerID,
  key: KeyPair,
  identity: Identity,
  { digits, ...span }: Span & { readonly digits?: number },
): SigPair => ({ ...sigPair(key, scheduleTextOf(ledgerID, identity)(span), digits), ...span })

/** For when a signature that is made now is usually good. */
export const usualSpan = ({ seconds }: Timestamp): Required<Span> => ({
  from: seconds,
  until: seconds + usualSignatureSecs,
})
