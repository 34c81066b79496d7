/**
 * A recorded transaction with its signatures, taken from the tick that holds it. Where the tick was signed as a
 * batch, the transaction's own share of that signature is proven.
 */
import { NodeFault } from '../errors/CarillonError.js'
import { signaturesOfBatch } from '../ledger/signatures.js'
import type { SignedTransaction } from '../ledger/SignedTransaction.js'
import type { TransactionBody } from '../ledger/Transaction.js'
import type { TransactionId } from '../ledger/TransactionId.js'
import { decodeEvent } from '../log/decodeEvent.js'
import type { EventOf } from '../log/events.js'
import type { EncodedTick } from '../log/Tick.js'

/** The transactions of a tick, as far as they can be shown to others. */
export const signedTransactionsOf = (tick: EncodedTick): ReadonlyMap<TransactionId, SignedTransaction> => {
  const events = tick.events.map((line, index) => decodeEvent(line, tick.firstRevision + index))
  const recorded = events.filter(
    (event): event is EventOf<'TransactionRecorded'> => event.type === 'TransactionRecorded',
  )
  const batch = recorded.filter(({ signatures }) => signatures === undefined).map(({ id }) => id)
  const batchSignatures = events.filter(
    (event): event is EventOf<'TransactionsSigned'> => event.type === 'TransactionsSigned',
  )
  const shares = batchSignatures.map(({ by, signature }) => signaturesOfBatch(by, batch, signature))
  let place = 0
  return new Map(
    recorded.map(({ id, body, signatures }) => {
      const index = signatures === undefined ? place++ : -1
      const own = signatures ?? shares.flatMap((share) => share[index] ?? [])
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

  constructor(tick: (number: number) => EncodedTick | undefined) {
    this.#tick = tick
  }

  read(id: TransactionId, tickNumber: number): SignedTransaction {
    let transactions = this.#kept.get(tickNumber)
    if (transactions === undefined) {
      const tick = this.#tick(tickNumber)
      transactions = tick === undefined ? new Map<TransactionId, SignedTransaction>() : signedTransactionsOf(tick)
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
