/**
 * Reads one page of the states of a type that fulfil what is asked, with the cursor of the next page.
 */
import * as t from 'io-ts'
import { valueAnswer } from '../Answer.js'
import { decodeResult } from '../decodeResult.js'
import { defineOperation } from '../defineOperation.js'
import { identityOfQuery, labelOfQuery, queryStates, reviveStates, type QueryArguments } from '../queryStates.js'
import { bytesOfIds } from '../recordedBytes.js'

export type QueryPage = QueryArguments & { readonly kind: 'queryPage' }

const PageC = t.intersection([t.strict({ refs: t.readonlyArray(t.string) }), t.exact(t.partial({ next: t.string }))])

export const queryPage = defineOperation<QueryPage>({
  kind: 'queryPage',
  isRead: true,
  identity: identityOfQuery,
  label: labelOfQuery,
  perform: (decision, operation, flow) => {
    const { states, refs, next } = queryStates(decision, operation, flow)
    return valueAnswer({ items: states, next }, { refs, ...(next === undefined ? {} : { next }) })
  },
  revive: (decision, { definition }, recorded) => {
    const { refs, next } = decodeResult(PageC, recorded)
    return { items: reviveStates(decision, definition, refs), next }
  },
  recordedBytes: (_operation, result) =>
    typeof result === 'object' && result !== null && 'refs' in result ? bytesOfIds(result['refs']) : 0,
})
