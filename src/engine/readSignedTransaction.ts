/**
 * A recorded transaction with its signatures, taken from the tick that holds it. A transaction that brings no
 * signatures gets that of its tick, with the proof that it belongs to it.
 */
import { NodeFault } from '../errors/CarillonError.js'
import type { PublicKey } from '../identity/PublicKey.js'
import { signaturesOfTick } from '../ledger/signatures.js'
import type { SignedTransaction } from '../ledger/SignedTransaction.js'
import type { TransactionBody } from '../ledger/Transaction.js'
import type { TransactionId } from '../ledger/TransactionId.js'
import { decodeEvent } from '../log/decodeEvent.js'
import type { EventOf } from '../log/events.js'
import type { EncodedTick } from '../log/Tick.js'

/** The transactions of a tick that `by` has signed, as they can be shown to others. */
export const signedTransactionsOf = (
  tick: EncodedTick,
  by: PublicKey,
): ReadonlyMap<TransactionId, SignedTransaction> => {
  const recorded = tick.events
    .map((line, index) => decodeEvent(line, tick.firstRevision + index))
    .filter((event): event is EventOf<'TransactionRecorded'> => event.type === 'TransactionRecorded')
  const covered = recorded.filter(({ signatures }) => signatures === undefined).map(({ id }) => id)
  const ofTick = signaturesOfTick(by, tick.hash, covered, tick.signature)
  let place = 0
  return new Map(
    recorded.map(({ id, body, signatures }) => {
      const own = signatures ?? ofTick.slice(place, ++place)
      // Events read from the log are decoded; only those of an open tick hold text.
      return [id, { body: body as TransactionBody, signatures: own }]
    }),
  )
}

/** How many ticks stay decoded: history is asked for in runs that lie close together. */
const keptTicks = 16

export class SignedTransactionReader {
  readonly #tick: (number: number) => EncodedTick | undefined
  readonly #kept = new Map<number, ReadonlyMap<TransactionId, SignedTransaction>>()

  readonly #signerOf: (tick: number) => PublicKey | undefined

  /** `signerOf` gives the key that has signed a tick. */
  constructor(tick: (number: number) => EncodedTick | undefined, signerOf: (tick: number) => PublicKey | undefined) {
    this.#tick = tick
    this.#signerOf = signerOf
  }

  read(id: TransactionId, tickNumber: number): SignedTransaction {
    let transactions = this.#kept.get(tickNumber)
    if (transactions === undefined) {
      const tick = this.#tick(tickNumber)
      const by = this.#signerOf(tickNumber)
      transactions =
        tick === undefined || by === undefined
          ? new Map<TransactionId, SignedTransaction>()
          : signedTransactionsOf(tick, by)
      // A tick that is not there yet will be: only what is in the log is worth keeping.
      if (tick !== undefined) this.#kept.set(tickNumber, transactions)
      const [oldest] = this.#kept.keys()
      if (this.#kept.size > keptTicks && oldest !== undefined) this.#kept.delete(oldest)
    }
    const found = transactions.get(id)
    if (found === undefined)
      throw new NodeFault(
        'invariant-broken',
        `transaction ${id} is in the vault but not in tick ${tickNumber} of the log`,
      )
    return found
  }
}
