/**
 * Waits for activities to fire on a node and notes when each start was decided and when each end was durable.
 */
import { toMillis, type Committed, type Node } from 'carillon'
import type { HeldClock } from './HeldClock.js'

export type Fired = {
  /** As recorded: effective start minus due instant. */
  readonly latenessMs: readonly number[]
  /** From the due instant until the end of the flow was durable. */
  readonly endedAfterMs: readonly number[]
}

/** Lets the clock go and resolves once so many activities have been fired, durably. */
export const fireAll = (node: Node, clock: HeldClock, count: number): Promise<Fired> =>
  new Promise((resolve, reject) => {
    const due = new Map<string, number>()
    const latenessMs: number[] = []
    const endedAfterMs: number[] = []
    const ended: { readonly nowMs: number; readonly committed: Committed }[] = []
    let fired = 0
    const conclude = (): void => {
      // Events are decoded only now, when nothing is timed any more.
      for (const { nowMs, committed } of ended) {
        for (const { flow, origin } of committed.ofType('FlowStarted')) {
          if (origin.kind !== 'activity') continue
          latenessMs.push(origin.latenessMs)
          due.set(flow, toMillis(origin.due))
        }
        for (const { flow, outcome, error } of committed.ofType('FlowEnded')) {
          if (outcome !== 'completed') {
            reject(new Error(`Flow ${flow} ended ${outcome}: ${error?.message ?? ''}`))
            return
          }
          const dueMs = due.get(flow)
          if (dueMs !== undefined) endedAfterMs.push(nowMs - dueMs)
        }
      }
      resolve({ latenessMs, endedAfterMs })
    }
    const unfollow = node.follow((committed) => {
      ended.push({ nowMs: clock.preciseNow(), committed })
      fired += committed.count('FlowEnded')
      if (fired < count) return
      unfollow()
      conclude()
    })
    clock.letGo()
  })
