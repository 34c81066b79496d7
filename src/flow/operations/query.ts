/**
 * Reads the states of a type that fulfil what is asked. The record keeps their refs.
 */
import * as t from 'io-ts'
import { valueAnswer } from '../Answer.js'
import { decodeResult } from '../decodeResult.js'
import { defineOperation } from '../defineOperation.js'
import { identityOfQuery, labelOfQuery, queryStates, reviveStates, type QueryArguments } from '../queryStates.js'
import { bytesOfIds } from '../recordedBytes.js'
import type { FlowReads } from '../FlowReads.js'

export type Query = QueryArguments & { readonly kind: 'query' }

const RefsC = t.readonlyArray(t.string)

export const query = defineOperation<Query, FlowReads>({
  kind: 'query',
  isRead: true,
  identity: identityOfQuery,
  label: labelOfQuery,
  decide: (reads, operation, flow) => {
    const { states, refs } = queryStates(reads, operation, flow)
    return valueAnswer(states, refs)
  },
  revive: (reads, { definition }, recorded) => reviveStates(reads, definition, decodeResult(RefsC, recorded)),
  recordedBytes: (_operation, result) => bytesOfIds(result),
})
