/**
 * Parts of a flow that run side by side. What is recorded is that they began, with their names; what comes of them
 * follows from the operations of the parts, so nothing else has to be recorded about them.
 */
import { valueAnswer } from './Answer.js'
import { defineOperation, type OperationDefinition } from './defineOperation.js'
import type { FlowReads } from './FlowReads.js'

/** Code of a part, as the engine runs it. */
export type PartBody = Generator<unknown, unknown, unknown>

/** `all` goes on when all parts have returned, `race` when the first of them has. */
export type Parts<K extends 'all' | 'race' = 'all' | 'race'> = {
  readonly kind: K
  readonly parts: readonly (readonly [name: string, body: PartBody])[]
}

export const defineParts = <K extends 'all' | 'race'>(kind: K): OperationDefinition<Parts<K>, FlowReads> =>
  defineOperation<Parts<K>, FlowReads>({
    kind,
    isRead: true,
    identity: ({ parts }) => ({ parts: parts.map(([name]) => name) }),
    label: ({ parts }) => `${kind} of ${parts.length}: ${parts.map(([name]) => name).join(', ')}`,
    decide: () => valueAnswer(undefined),
  })

/** Whether an operation begins parts. */
export const beginsParts = (operation: { readonly kind: string }): operation is Parts =>
  operation.kind === 'all' || operation.kind === 'race'
