/**
 * Waits for activities to fire on a node and notes when each start was decided and when each end was durable.
 */
import { toMillis, type Node } from 'carillon'
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
    const unfollow = node.follow(({ events }) => {
      const nowMs = clock.preciseNow()
      for (const event of events) {
        if (event.type === 'FlowStarted' && event.origin.kind === 'activity') {
          latenessMs.push(event.origin.latenessMs)
          due.set(event.flow, toMillis(event.origin.due))
        } else if (event.type === 'FlowEnded') {
          if (event.outcome !== 'completed') {
            reject(new Error(`Flow ${event.flow} ended ${event.outcome}: ${event.error?.message ?? ''}`))
            return
          }
          const dueMs = due.get(event.flow)
          due.delete(event.flow)
          if (dueMs !== undefined) endedAfterMs.push(nowMs - dueMs)
        }
      }
      if (endedAfterMs.length < count) return
      unfollow()
      resolve({ latenessMs, endedAfterMs })
    })
    clock.letGo()
  })
