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

const walkFrom = (reads: FinalityReads, frontier: readonly TransactionId[], limit: number): Walked => {
  const revisionOf = (id: TransactionId): number => reads.views.transactions.find(id)?.revision ?? -1
  const open = new Map(frontier.map((id) => [id, revisionOf(id)]))
  const visited: TransactionId[] = []
  while (visited.length < limit) {
    let newest: TransactionId | undefined
    for (const [id, revision] of open) if (newest === undefined || revision > (open.get(newest) ?? -1)) newest = id
    if (newest === undefined) break
    open.delete(newest)
    visited.push(newest)
    for (const parent of dependenciesOf(reads.signedTransaction(newest).body))
      if (!open.has(parent)) open.set(parent, revisionOf(parent))
  }
  return { visited, frontier: [...open.keys()] }
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
