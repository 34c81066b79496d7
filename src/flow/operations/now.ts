/**
 * The time of the tick, which is recorded.
 */
import { valueAnswer } from '../Answer.js'
import { defineOperation } from '../defineOperation.js'

export type Now = { readonly kind: 'now' }

export const now = defineOperation<Now>({
  kind: 'now',
  isRead: true,
  identity: () => ({}),
  label: () => 'now',
  perform: (decision) => valueAnswer(decision.now, decision.now),
})
