/**
 * A node that was killed and comes back when ten thousand activities are overdue.
 */
import { startNode } from 'carillon'
import { HeldClock } from '../HeldClock.js'
import { layOut, pulseApp } from '../pulseApp.js'
import { inOwnProcess, killedWhenReady } from '../restarted.js'
import { fullDurability, less, more, noSeed, type Workload } from '../Workload.js'

export const restartOverdue: Workload = {
  name: 'restart-overdue',
  measures:
    'A process with 10,000 activities is killed with SIGKILL, and all are overdue when a new process starts: from the call of startNode until the first and the last of them have a durable end.',
  doesNotMeasure: 'Loading the program, which is given as context.',
  durability: fullDurability,
  seed: noSeed,
  repetitions: 3,
  run: async ({ quick, folder }) => {
    const count = quick ? 50 : 10_000
    const clock = new HeldClock()
    const node = await startNode({ app: pulseApp, store: folder, clock })
    await layOut(node, { count, dueAt: clock.after(1) })
    await node.crash()
    await killedWhenReady(folder, clock.now())
    const { firstMs, allMs, sinceProcessStartMs } = await inOwnProcess('fired', folder, count)
    return {
      'first durable end': less(firstMs, 'ms'),
      'last durable end': less(allMs, 'ms'),
      fired: more((count / allMs) * 1_000, 'activities/s'),
      'process until last durable end': less(sinceProcessStartMs, 'ms'),
    }
  },
}
