/**
 * Reads one page of the states of a type that fulfil what is asked, with the cursor of the next page.
 */
import * as t from 'io-ts'
import { valueAnswer } from '../Answer.js'
import { decodeResult } from '../decodeResult.js'
import { defineOperation } from '../defineOperation.js'
import { identityOfQuery, labelOfQuery, queryStates, reviveStates, type QueryArguments } from '../queryStates.js'
import { bytesOfIds } from '../recordedBytes.js'
import type { FlowReads } from '../FlowReads.js'

export type QueryPage = QueryArguments & { readonly kind: 'queryPage' }

const PageC = t.intersection([t.strict({ refs: t.readonlyArray(t.string) }), t.exact(t.partial({ next: t.string }))])

export const queryPage = defineOperation<QueryPage, FlowReads>({
  kind: 'queryPage',
  isRead: true,
  identity: identityOfQuery,
  label: labelOfQuery,
  decide: (reads, operation, flow) => {
    const { states, refs, next } = queryStates(reads, operation, flow)
    return valueAnswer({ items: states, next }, { refs, ...(next === undefined ? {} : { next }) })
  },
  revive: (reads, { definition }, recorded) => {
    const { refs, next } = decodeResult(PageC, recorded)
    return { items: reviveStates(reads, definition, refs), next }
  },
  recordedBytes: (_operation, result) =>
    typeof result === 'object' && result !== null && 'refs' in result ? bytesOfIds(result['refs']) : 0,
})
