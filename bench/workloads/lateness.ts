/**
 * How late activities start when they fall due evenly, at a rate a node should not notice.
 */
import { startNode } from 'carillon'
import { fireAll } from '../fireAll.js'
import { HeldClock } from '../HeldClock.js'
import { layOut, pulseApp } from '../pulseApp.js'
import { quantile } from '../statistics.js'
import { fullDurability, less, noSeed, type Workload } from '../Workload.js'

const perSecond = 200
const leadMs = 200

export const lateness: Workload = {
  name: 'lateness',
  measures: `${perSecond} activities a second, spread evenly: lateness of the start as recorded (whole milliseconds), and from the due instant to the durable end.`,
  doesNotMeasure: 'A node that is busy with anything else.',
  durability: fullDurability,
  seed: noSeed,
  repetitions: 3,
  run: async ({ quick, folder }) => {
    const seconds = quick ? 0.2 : 12
    const count = perSecond * seconds
    const clock = new HeldClock()
    const node = await startNode({ app: pulseApp, store: folder, clock })
    await layOut(node, { count, dueAt: clock.after(leadMs), apartMs: 1_000 / perSecond })
    const { latenessMs, endedAfterMs } = await fireAll(node, clock, count)
    await node.stop()
    return {
      'start p50': less(quantile(latenessMs, 0.5), 'ms'),
      'start p99': less(quantile(latenessMs, 0.99), 'ms'),
      'start max': less(Math.max(...latenessMs), 'ms'),
      'durable end p50': less(quantile(endedAfterMs, 0.5), 'ms'),
      'durable end p99': less(quantile(endedAfterMs, 0.99), 'ms'),
      'durable end max': less(Math.max(...endedAfterMs), 'ms'),
    }
  },
}
