/**
 * The time of the tick, which is recorded.
 */
import { valueAnswer } from '../Answer.js'
import { defineOperation } from '../defineOperation.js'
import type { FlowReads } from '../FlowReads.js'

export type Now = { readonly kind: 'now' }

export const now = defineOperation<Now, FlowReads>({
  kind: 'now',
  isRead: true,
  identity: () => ({}),
  label: () => 'now',
  decide: (reads) => valueAnswer(reads.now, reads.now),
})
