/**
 * A new random id, which is recorded.
 */
import { valueAnswer } from '../Answer.js'
import { defineOperation } from '../defineOperation.js'

export type NewId = { readonly kind: 'newId' }

const idBytes = 16

export const newId = defineOperation<NewId>({
  kind: 'newId',
  isRead: true,
  identity: () => ({}),
  label: () => 'newId',
  perform: ({ random }) => {
    const id = random.hex(idBytes)
    return valueAnswer(id, id)
  },
})
