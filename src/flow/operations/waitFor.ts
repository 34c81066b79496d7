/**
 * Waits for an unconsumed state of a type: the one with a key, or the first whose indexed fields have certain values. The
 * record keeps its ref.
 */
import * as t from 'io-ts'
import { CarillonError } from '../../errors/CarillonError.js'
import { IndexedValuesC } from '../../ledger/IndexedValue.js'
import type { AnyStateDefinition } from '../../ledger/StateDefinition.js'
import { parseRef, showRef } from '../../ledger/StateRef.js'
import type { FlowId } from '../../log/FlowId.js'
import { assertFields } from '../../vault/query/assertFields.js'
import type { StateRow } from '../../vault/StateRow.js'
import { valueAnswer, type StateWanted } from '../Answer.js'
import { decodeResult } from '../decodeResult.js'
import { defineOperation } from '../defineOperation.js'
import type { FlowReads } from '../FlowReads.js'
import { stateAt, stateOf } from '../stateAt.js'
import { untilAfter } from '../waiting.js'

export type WaitForState = {
  readonly kind: 'waitFor'
  readonly definition: AnyStateDefinition
  readonly wanted: StateWanted
  readonly withinMs: number | undefined
}

const waitInvalid = (type: string, why: string): CarillonError =>
  new CarillonError('wait-invalid', `A flow cannot wait for a ${type} in this way: ${why}`, { type })

const assertWanted = (definition: AnyStateDefinition, wanted: StateWanted): void => {
  const { type } = definition
  if ('key' in wanted) {
    if (definition.key === undefined)
      throw waitInvalid(type, 'it has no key. Add key: (data) => … to its definition, or wait for indexed fields.')
    if (typeof wanted.key !== 'string') throw waitInvalid(type, 'its key is a text.')
    return
  }
  const names = Object.keys(wanted.where)
  if (names.length === 0) throw waitInvalid(type, 'neither a key nor a field is given.')
  assertFields(definition, { also: names })
  if (!IndexedValuesC.is(wanted.where))
    throw waitInvalid(type, 'the value of an indexed field is a short text, a number, or true or false.')
}

const findWanted = (
  reads: FlowReads,
  { type }: AnyStateDefinition,
  wanted: StateWanted,
  flow: FlowId,
): StateRow | undefined => {
  if ('key' in wanted) return reads.views.states.withKey(type, wanted.key)
  const and = Object.entries(wanted.where).map(([field, is]) => ({ field, is }))
  return reads.views.query({ type, where: { and }, limit: 1 }, flow).items[0]
}

const showWanted = (wanted: StateWanted): string =>
  'key' in wanted
    ? `"${wanted.key}"`
    : `with ${Object.entries(wanted.where)
        .map(([field, is]) => `${field} = ${String(is)}`)
        .join(', ')}`

export const waitFor = defineOperation<WaitForState, FlowReads>({
  kind: 'waitFor',
  isRead: true,
  identity: ({ definition, wanted, withinMs }) => ({ type: definition.type, ...wanted, withinMs }),
  label: ({ definition, wanted }) => `wait for ${definition.type} ${showWanted(wanted)}`,
  decide: (reads, { definition, wanted, withinMs }, flow) => {
    assertWanted(definition, wanted)
    const row = findWanted(reads, definition, wanted, flow)
    return row === undefined
      ? { kind: 'state', type: definition.type, ...wanted, untilMs: untilAfter(reads.nowMs, withinMs) }
      : valueAnswer(stateOf(definition, row), showRef(row.ref))
  },
  revive: (reads, { definition }, recorded) =>
    recorded.result === null ? undefined : stateAt(reads, definition, parseRef(decodeResult(t.string, recorded))).state,
})
