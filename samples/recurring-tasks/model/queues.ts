/**
 * The task queue: ids of the present slot waiting to run. The missed queue: ids that were not executed during their
 * slot, in pages, a page for each slot, so that no sweep ever rewrites all of it.
 */
import * as t from 'io-ts'
import { IntegerC, PartyC } from 'carillon'

export const TaskQueueC = t.readonly(
  t.strict({ operator: PartyC, at: IntegerC, tasks: t.readonlyArray(t.string) }),
  'TaskQueue',
)
export type TaskQueue = t.TypeOf<typeof TaskQueueC>

export const MissedPageC = t.readonly(
  t.strict({
    operator: PartyC,
    /** Pages are numbered in the order in which they are reported. */
    page: IntegerC,
    /** The slot that passed without running these tasks. */
    at: IntegerC,
    tasks: t.readonlyArray(t.string),
  }),
  'MissedPage',
)
export type MissedPage = t.TypeOf<typeof MissedPageC>
