/**
 * Many activities due at one instant.
 */
import { startNode } from 'carillon'
import { fireAll } from '../fireAll.js'
import { HeldClock } from '../HeldClock.js'
import { layOut, pulseApp } from '../pulseApp.js'
import { fullDurability, less, more, noSeed, type Workload } from '../Workload.js'

const leadMs = 50

export const fireBurst: Workload = {
  name: 'fire-burst',
  measures:
    'Activities due at one instant, each a flow that loads, consumes and reproduces its state: from the due instant to the last durable end.',
  doesNotMeasure: 'Producing the states; flows with steps or sleeps; contracts beyond "participants sign".',
  durability: fullDurability,
  seed: noSeed,
  repetitions: 5,
  warmUps: 1,
  run: async ({ quick, folder }) => {
    const count = quick ? 50 : 10_000
    const clock = new HeldClock()
    const node = await startNode({ app: pulseApp, store: folder, clock })
    await layOut(node, { count, dueAt: clock.after(leadMs) })
    const { endedAfterMs } = await fireAll(node, clock, count)
    await node.stop()
    const lastMs = Math.max(...endedAfterMs)
    return {
      fired: more((count / lastMs) * 1_000, 'activities/s'),
      'first durable end': less(Math.min(...endedAfterMs), 'ms'),
      'last durable end': less(lastMs, 'ms'),
    }
  },
}
