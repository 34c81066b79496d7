/**
 * Cancelling a flow: it is thrown into the flow where it waits, so that the flow can undo what it has done. A flow that has
 * not come to its end by a deadline, or that is cancelled a second time, is killed.
 */
import type { EventOf, Waiting, Waits } from '../log/events.js'
import { instantFromMillis, latestInstantMs } from '../time/Instant.js'
import type { FlowReads } from './FlowReads.js'
import type { FlowRow } from './FlowRow.js'
import { flowLimits } from './limits.js'
import { waitsOf } from './waiting.js'

export type CancelWait = Extract<Waiting, { readonly for: 'cancel' }>

const isCancel = (waiting: Waiting): waiting is CancelWait => waiting.for === 'cancel'

/** The cancellation of a flow that is being cancelled. */
export const cancelOf = ({ waiting }: Pick<FlowRow, 'waiting'>): CancelWait | undefined =>
  waiting?.includes('"for":"cancel"') === true ? waitsOf({ waiting })?.find(isCancel) : undefined

/** The fact that a flow is cancelled. */
export const flowCancelled = (
  { nowMs }: Pick<FlowReads, 'nowMs'>,
  { id }: Pick<FlowRow, 'id'>,
  by: string,
  withinMs: number = flowLimits.cancelWithinMs,
): EventOf<'FlowCancelled'> => ({
  type: 'FlowCancelled',
  flow: id,
  by,
  until: instantFromMillis(Math.min(nowMs + withinMs, latestInstantMs)),
})

/** What a flow waits for once it is cancelled: also for its end. */
export const waitsOfCancelled = (
  before: Waits | undefined,
  { by, until }: Pick<EventOf<'FlowCancelled'>, 'by' | 'until'>,
): Waits => [
  { for: 'cancel', kind: 'cancelled', digest: '', by, until },
  ...(before ?? []).filter((waiting) => !isCancel(waiting)),
]

/** What a flow that is being cancelled waits for after it has advanced: it stays cancelled until its end. */
export const keepCancel = (
  before: CancelWait | undefined,
  waits: Waits,
  { operations }: Pick<EventOf<'FlowAdvanced'>, 'operations'>,
): Waits => {
  if (before === undefined) return waits
  const isThrown = before.thrown === true || operations.some(({ kind }) => kind === 'cancelled')
  return [isThrown ? { ...before, thrown: true } : before, ...waits]
}
