/**
 * Stands in the record of a flow where it was cancelled: `flow-cancelled` was thrown into it there. No code asks for it.
 */
import { defineOperation } from '../defineOperation.js'
import type { FlowReads } from '../FlowReads.js'
import { notAnOperation } from '../invalidOperation.js'

export type Cancelled = { readonly kind: 'cancelled'; readonly by: string }

export const cancelled = defineOperation<Cancelled, FlowReads>({
  kind: 'cancelled',
  identity: () => ({}),
  label: ({ by }) => `cancelled by ${by}`,
  decide: () => {
    throw notAnOperation()
  },
})
