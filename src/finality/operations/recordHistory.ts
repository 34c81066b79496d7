/**
 * Verifies a kept page of history that was seen to be what was asked for, and records it, oldest first. The record keeps
 * only that the message was taken, and the message itself is not kept any longer, so that a history may be long.
 */
import { map } from 'fp-ts/lib/Either.js'
import { oneByOne, valueAnswer } from '../../flow/Answer.js'
import { defineOperation } from '../../flow/defineOperation.js'
import type { ConsumedMessage } from '../../session/ConsumedMessage.js'
import type { FinalityReads } from '../FinalityReads.js'
import type { Recorded } from '../recordTransaction.js'
import { recordSigned } from '../recordSigned.js'
import type { MessagePlace } from './takeHistory.js'
import { keptPage } from './traceHistory.js'

export type RecordHistory = MessagePlace & { readonly kind: 'recordHistory' }

export const recordHistory = defineOperation<RecordHistory, FinalityReads>({
  kind: 'recordHistory',
  statesFacts: true,
  identity: ({ session, role, seq }) => ({ session, role, seq }),
  label: ({ party }) => `record history of ${party}`,
  decide: (reads, operation, flow) => {
    const { session, role, seq } = operation
    const taken: ConsumedMessage = { session, role, seq, isLast: false }
    return oneByOne(
      keptPage(reads, flow, operation),
      (signed) => map(({ events }: Recorded) => events)(recordSigned(reads, signed, flow, 'history')),
      () => valueAnswer(taken, taken),
    )
  },
})
