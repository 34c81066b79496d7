/**
 * Looks through a kept page of history, newest first: each transaction must be one that was asked for, or one that such a
 * transaction builds on. Gives what is to be looked for in the pages before.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import { decodeWith } from '../../encoding/decode.js'
import { CarillonError } from '../../errors/CarillonError.js'
import { dependenciesOf, sealBody } from '../../ledger/Transaction.js'
import type { SignedTransaction } from '../../ledger/SignedTransaction.js'
import type { TransactionId } from '../../ledger/TransactionId.js'
import type { FlowId } from '../../log/FlowId.js'
import { valueAnswer } from '../../flow/Answer.js'
import { defineOperation } from '../../flow/defineOperation.js'
import { bytesOfIds } from '../../flow/recordedBytes.js'
import { messageFor } from '../../session/sessionMessages.js'
import type { FinalityReads } from '../FinalityReads.js'
import { HistoryC } from '../protocol.js'
import { cannotBeUnderstood, type MessagePlace } from './takeHistory.js'

export type TraceHistory = MessagePlace & {
  readonly kind: 'traceHistory'
  readonly wanted: readonly TransactionId[]
  /** How many bytes of the record what is still to be looked for may take. */
  readonly room: number
}

/** The transactions of a page that is kept. */
export const keptPage = (reads: FinalityReads, flow: FlowId, place: MessagePlace): readonly SignedTransaction[] => {
  const message = messageFor(reads, flow, place)
  const decoded = decodeWith(HistoryC, message?.kind === 'data' ? message.payload : undefined)
  if (isLeft(decoded)) throw cannotBeUnderstood(place.party, decoded.left.join('; '))
  return decoded.right.transactions
}

export const traceHistory = defineOperation<TraceHistory, FinalityReads>({
  kind: 'traceHistory',
  identity: ({ session, role, seq, wanted }) => ({ session, role, seq, wanted }),
  label: ({ party }) => `see that the history of ${party} is what was asked for`,
  decide: (reads, operation, flow) => {
    const isHeld = (id: TransactionId): boolean => reads.views.transactions.find(id) !== undefined
    const wanted = new Set(operation.wanted)
    for (const { body } of [...keptPage(reads, flow, operation)].reverse()) {
      const { id } = sealBody(body)
      // It may have come another way meanwhile; then so has all that it builds on.
      if (isHeld(id)) continue
      if (!wanted.delete(id))
        throw new CarillonError(
          'message-invalid',
          `${operation.party} sent transaction ${id}, which nothing builds on that was asked for.`,
          { party: operation.party, transaction: id },
        )
      for (const dependency of dependenciesOf(body)) if (!isHeld(dependency)) wanted.add(dependency)
    }
    const left = [...wanted].filter((id) => !isHeld(id))
    if (bytesOfIds(left) > operation.room)
      throw new CarillonError(
        'member-budget-exceeded',
        `${operation.party} sends the history of a transaction in so small pieces that the record of what is still missing after each would be many times as long.`,
        { party: operation.party, missing: left.length },
      )
    return valueAnswer(left, left)
  },
  recordedBytes: (_operation, result) => bytesOfIds(result),
})
