/**
 * Walks from transactions back towards their origins, newest first, as far as a limit goes.
 */
import * as t from 'io-ts'
import type { FinalityReads } from '../FinalityReads.js'
import { IntegerC } from '../../encoding/IntegerC.js'
import { finalityLimits } from '../limits.js'
import { dependenciesOf } from '../../ledger/Transaction.js'
import type { TransactionId } from '../../ledger/TransactionId.js'
import { valueAnswer } from '../../flow/Answer.js'
import { decodeResult } from '../../flow/decodeResult.js'
import { defineOperation } from '../../flow/defineOperation.js'

export type Walk = { readonly kind: 'walk'; readonly frontier: readonly TransactionId[]; readonly limit?: number }

/** What a walk has come through, newest first, and what it had yet to come to. */
export type Walked = { readonly visited: readonly TransactionId[]; readonly frontier: readonly TransactionId[] }

/** Transactions that are yet to be come to: the newest first, and of those that are as new the one that was met first. */
class NewestFirst {
  readonly #heap: { readonly id: TransactionId; readonly revision: number; readonly met: number }[] = []
  #met = 0

  add(id: TransactionId, revision: number): void {
    const heap = this.#heap
    heap.push({ id, revision, met: this.#met++ })
    for (let at = heap.length - 1; at > 0 && this.#comesBefore(at, (at - 1) >> 1); at = (at - 1) >> 1)
      this.#exchange(at, (at - 1) >> 1)
  }

  take(): TransactionId | undefined {
    const heap = this.#heap
    if (heap.length > 1) this.#exchange(0, heap.length - 1)
    const taken = heap.pop()
    for (let at = 0; ;) {
      const [left, right] = [2 * at + 1, 2 * at + 2]
      const child = this.#comesBefore(right, left) ? right : left
      if (!this.#comesBefore(child, at)) return taken?.id
      this.#exchange(at, child)
      at = child
    }
  }

  #comesBefore(place: number, other: number): boolean {
    const [one, two] = [this.#heap[place], this.#heap[other]]
    if (one === undefined || two === undefined) return false
    return one.revision === two.revision ? one.met < two.met : one.revision > two.revision
  }

  #exchange(place: number, other: number): void {
    const [one, two] = [this.#heap[place], this.#heap[other]]
    if (one === undefined || two === undefined) return
    this.#heap[place] = two
    this.#heap[other] = one
  }
}

const walkFrom = (reads: FinalityReads, frontier: readonly TransactionId[], limit: number): Walked => {
  const open = new Set<TransactionId>()
  const newest = new NewestFirst()
  const meet = (id: TransactionId): void => {
    if (open.has(id)) return
    open.add(id)
    newest.add(id, reads.views.transactions.find(id)?.revision ?? -1)
  }
  for (const id of frontier) meet(id)
  const visited: TransactionId[] = []
  while (visited.length < limit) {
    const id = newest.take()
    if (id === undefined) break
    open.delete(id)
    visited.push(id)
    for (const parent of dependenciesOf(reads.signedTransaction(id).body)) meet(parent)
  }
  return { visited, frontier: [...open] }
}

/** A record holds this node's own numbers of transactions, an eighth of the length of ids. */
const WalkedC = t.strict({ visited: t.readonlyArray(IntegerC), frontier: t.readonlyArray(IntegerC) })

export const walk = defineOperation<Walk, FinalityReads>({
  kind: 'walk',
  readsLog: true,
  identity: ({ frontier }) => ({ frontier }),
  label: () => 'walk back through history',
  decide: (reads, { frontier, limit = finalityLimits.historyFirstWalk }) => {
    const walked = walkFrom(reads, frontier, limit)
    const numbers = (ids: readonly TransactionId[]) => ids.map((id) => reads.views.transactions.locate(id) ?? -1)
    return valueAnswer(walked, { visited: numbers(walked.visited), frontier: numbers(walked.frontier) })
  },
  revive: (reads, _operation, recorded): Walked => {
    const { visited, frontier } = decodeResult(WalkedC, recorded)
    const ids = (numbers: readonly number[]) => numbers.flatMap((seq) => reads.views.transactions.get(seq)?.id ?? [])
    return { visited: ids(visited), frontier: ids(frontier) }
  },
})
