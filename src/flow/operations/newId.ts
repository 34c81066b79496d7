/**
 * A new random id, which is recorded.
 */
import { valueAnswer } from '../Answer.js'
import { defineOperation } from '../defineOperation.js'
import type { FlowReads } from '../FlowReads.js'

export type NewId = { readonly kind: 'newId' }

const idBytes = 16

export const newId = defineOperation<NewId, FlowReads>({
  kind: 'newId',
  isRead: true,
  identity: () => ({}),
  label: () => 'newId',
  decide: ({ random }) => {
    const id = random.hex(idBytes)
    return valueAnswer(id, id)
  },
})
