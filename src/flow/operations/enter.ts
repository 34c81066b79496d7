/**
 * The beginning of a sub-flow, which runs within the record of its flow.
 */
import { canonicalText, Encoded, type Json } from '../../encoding/canonical.js'
import { valueAnswer } from '../Answer.js'
import { defineOperation } from '../defineOperation.js'
import type { FlowReads } from '../FlowReads.js'

export type Enter = { readonly kind: 'enter'; readonly flow: string; readonly input: Json }

const inputTexts = new WeakMap<Enter, Encoded>()

/** The input as it is when the sub-flow is entered: the code of the sub-flow may change what it was given. */
const inputOf = (operation: Enter): Encoded => {
  const known = inputTexts.get(operation)
  if (known !== undefined) return known
  const text = new Encoded(canonicalText(operation.input))
  inputTexts.set(operation, text)
  return text
}

export const enter = defineOperation<Enter, FlowReads>({
  kind: 'enter',
  isRead: true,
  identity: (operation) => ({ flow: operation.flow, input: inputOf(operation) }),
  label: ({ flow }) => `sub-flow ${flow}`,
  decide: (_decision, operation) => {
    inputOf(operation)
    return valueAnswer(undefined)
  },
})
