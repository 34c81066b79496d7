/**
 * Waits for the end of a child: for what it returned, or the error it ended with.
 */
import * as t from 'io-ts'
import type { Json } from '../../encoding/canonical.js'
import { CarillonError } from '../../errors/CarillonError.js'
import type { FlowId } from '../../log/FlowId.js'
import { valueAnswer } from '../Answer.js'
import { decodeResult } from '../decodeResult.js'
import { defineOperation } from '../defineOperation.js'
import { lastOf } from '../family.js'
import { outcomeOfEnd } from '../FlowEnd.js'
import type { FlowReads } from '../FlowReads.js'
import { bytesOfValue } from '../recordedBytes.js'
import { untilAfter } from '../waiting.js'

export type Join = {
  readonly kind: 'join'
  readonly child: FlowId
  readonly withinMs: number | undefined
}

/** What a child returned, or refused with; empty for one that returned nothing. */
export type ChildResult = { readonly result?: Json; readonly refusal?: Json }

const ChildResultC: t.Type<ChildResult, unknown> = t.exact(
  t.partial({ result: t.unknown, refusal: t.unknown }),
) as unknown as t.Type<ChildResult, unknown>

export const join = defineOperation<Join, FlowReads>({
  kind: 'join',
  isRead: true,
  identity: ({ child, withinMs }) => ({ child, withinMs }),
  label: ({ child }) => `wait for flow ${child}`,
  decide: (reads, { child, withinMs }, flow) => {
    const { flows, children } = reads.views
    const row = flows.find(child)
    if (row === undefined) throw new CarillonError('flow-not-found', `There is no flow ${child}.`, { flow: child })
    const parentSeq = children.of(row.seq)?.parentSeq
    if (parentSeq === undefined || parentSeq !== flows.locate(flow))
      throw new CarillonError(
        'flow-not-child',
        `Flow ${child} is not a child of flow ${flow}, which can wait for its own children alone.`,
        { flow: child },
      )
    const last = lastOf(reads.views, row)
    const ended = outcomeOfEnd(last.id, last)
    if (ended === undefined) return { kind: 'flow', flow: last.id, untilMs: untilAfter(reads.nowMs, withinMs) }
    const { kind, ...given } = ended
    const value: ChildResult = kind === 'returned' && ended.result === undefined ? {} : (given as ChildResult)
    return valueAnswer(value, { ...value })
  },
  revive: (_reads, _operation, recorded) =>
    recorded.result === null ? undefined : decodeResult(ChildResultC, recorded),
  recordedBytes: (_operation, result) => bytesOfValue(result),
})
