/**
 * When a flow that ended without an error of its own, and left the state of its activity unconsumed, needs attention. A
 * state that other parties take part in may be consumed by one of them, whose node runs the flow, too; so they are given some
 * time. That somebody says it was consumed proves nothing.
 */
import { instantFromMillis, latestInstantMs, type Instant } from '../time/Instant.js'
import type { FlowReads } from './FlowReads.js'
import type { FlowRow } from './FlowRow.js'

/** What the definition of a flow says about a state that it leaves unconsumed. */
export type UnconsumedPolicy = { readonly leavesState: boolean; readonly attentionAfterMs: number }

/** From when on it needs attention; undefined when it does not. */
export const attentionAfterEnd = (
  { views, me, nowMs }: FlowReads,
  { stateSeq }: Pick<FlowRow, 'stateSeq'>,
  policy: UnconsumedPolicy | undefined,
): Instant | undefined => {
  if (stateSeq === null || policy === undefined || policy.leavesState) return undefined
  const { consumedBy, participants } = views.states.get(stateSeq)
  if (consumedBy !== null) return undefined
  const isShared = participants.split(' ').some((key) => key !== me.key)
  return instantFromMillis(Math.min(nowMs + (isShared ? policy.attentionAfterMs : 0), latestInstantMs))
}
