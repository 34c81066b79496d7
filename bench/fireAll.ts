/**
 * Waits for activities to fire on a node and finds out when each start was decided and when each end was durable.
 */
import { toMillis, type Node } from 'carillon'
import { decodeEvent, type DomainEvent } from 'carillon/logs'
import type { HeldClock } from './HeldClock.js'

export type Fired = {
  /** As recorded: effective start minus due instant. */
  readonly latenessMs: readonly number[]
  /** From the due instant until the end of the flow was durable. */
  readonly endedAfterMs: readonly number[]
  /** What the clock read when the last of them was heard of. */
  readonly lastHeardMs: number
}

/** When each tick was heard of, by its first revision. */
type Heard = ReadonlyMap<number, number>

/** Notes no more of a tick than when it came: who kept its events would make the node's garbage dearer to collect. */
const hear = (node: Node, clock: HeldClock, count: number): Promise<Heard> =>
  new Promise((resolve) => {
    const heard = new Map<number, number>()
    let fired = 0
    const unfollow = node.follow((committed) => {
      heard.set(committed.firstRevision, clock.preciseNow())
      fired += committed.count('FlowEnded')
      if (fired < count) return
      unfollow()
      resolve(heard)
    })
    clock.letGo()
  })

/** The events of the ticks that were heard of, from the log, each with the moment it was heard of. */
async function* eventsOf(node: Node, heard: Heard): AsyncGenerator<{ event: DomainEvent; nowMs: number }> {
  const [first = 0] = heard.keys()
  for await (const { firstRevision, events } of node.readLog(first)) {
    const nowMs = heard.get(firstRevision)
    if (nowMs === undefined) continue
    for (const [index, line] of events.entries()) yield { event: decodeEvent(line, firstRevision + index), nowMs }
  }
}

/** Lets the clock go and resolves once so many activities have been fired, durably. */
export const fireAll = async (node: Node, clock: HeldClock, count: number): Promise<Fired> => {
  const heard = await hear(node, clock, count)
  const due = new Map<string, number>()
  const latenessMs: number[] = []
  const endedAfterMs: number[] = []
  for await (const { event, nowMs } of eventsOf(node, heard)) {
    if (event.type === 'FlowStarted' && event.origin.kind === 'activity') {
      latenessMs.push(event.origin.latenessMs)
      due.set(event.flow, toMillis(event.origin.due))
    } else if (event.type === 'FlowEnded') {
      if (event.outcome !== 'completed')
        throw new Error(`Flow ${event.flow} ended ${event.outcome}: ${event.error?.message ?? ''}`)
      const dueMs = due.get(event.flow)
      if (dueMs !== undefined) endedAfterMs.push(nowMs - dueMs)
    }
  }
  return { latenessMs, endedAfterMs, lastHeardMs: [...heard.values()].at(-1) ?? 0 }
}
