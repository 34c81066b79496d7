/**
 * Reads the unconsumed state of a type that is known by a key. The record keeps its ref.
 */
import * as t from 'io-ts'
import { CarillonError } from '../../errors/CarillonError.js'
import type { AnyStateDefinition } from '../../ledger/StateDefinition.js'
import { parseRef, showRef } from '../../ledger/StateRef.js'
import { valueAnswer } from '../Answer.js'
import { decodeResult } from '../decodeResult.js'
import { defineOperation } from '../defineOperation.js'
import { stateAt, stateOf } from '../stateAt.js'
import type { FlowReads } from '../FlowReads.js'

export type Find = { readonly kind: 'find'; readonly definition: AnyStateDefinition; readonly key: string }

export const find = defineOperation<Find, FlowReads>({
  kind: 'find',
  isRead: true,
  identity: ({ definition, key }) => ({ type: definition.type, key }),
  label: ({ definition, key }) => `find ${definition.type} "${key}"`,
  decide: (reads, { definition, key }) => {
    if (definition.key === undefined)
      throw new CarillonError(
        'definition-invalid',
        `State ${definition.type} has no key, so none can be found by one. Add key: (data) => … to its definition.`,
        { type: definition.type },
      )
    const row = reads.views.states.withKey(definition.type, key)
    return row === undefined ? valueAnswer(undefined) : valueAnswer(stateOf(definition, row), showRef(row.ref))
  },
  revive: (reads, { definition }, recorded) =>
    recorded.result === undefined
      ? undefined
      : stateAt(reads, definition, parseRef(decodeResult(t.string, recorded))).state,
})
