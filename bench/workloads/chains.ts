/**
 * Chains that beat often: each beat produces the state whose activity is the next beat.
 */
import { startNode, toMillis } from 'carillon'
import { fireAll } from '../fireAll.js'
import { HeldClock } from '../HeldClock.js'
import { layOut, Pulse, pulseApp } from '../pulseApp.js'
import { quantile } from '../statistics.js'
import { context, fullDurability, less, more, noSeed, type Workload } from '../Workload.js'

const everyMs = 100
const leadMs = 200

export const chains: Workload = {
  name: 'chains',
  measures: `200 chains that beat every ${everyMs} ms: beats a second until all planned beats are durable, lateness of each, and drift (how far a chain's due instant has moved from its plan).`,
  doesNotMeasure: 'Chains out of step with each other: all beat at the same instants, which is the harder case.',
  durability: fullDurability,
  seed: noSeed,
  repetitions: 3,
  run: async ({ quick, folder }) => {
    const count = quick ? 5 : 200
    const beats = quick ? 3 : 120
    const clock = new HeldClock()
    const first = clock.after(leadMs)
    const node = await startNode({ app: pulseApp, store: folder, clock })
    await layOut(node, { count, dueAt: first, everyMs })
    const { latenessMs, endedAfterMs, lastHeardMs } = await fireAll(node, clock, count * beats)
    const tookMs = lastHeardMs - toMillis(first)
    const drifts = (await node.states(Pulse, { limit: count })).map(({ data }) =>
      Math.abs(toMillis(data.dueAt) - toMillis(first) - data.beat * everyMs),
    )
    await node.stop()
    return {
      // The first beats come at 0, so `beats` of them take one interval less at full pace.
      beats: more((count * (beats - 1) * 1_000) / tookMs, 'beats/s'),
      chains: context(count, 'chains'),
      drift: less(Math.max(...drifts), 'ms'),
      'lateness p50': less(quantile(latenessMs, 0.5), 'ms'),
      'lateness p99': less(quantile(latenessMs, 0.99), 'ms'),
      'durable end p99': less(quantile(endedAfterMs, 0.99), 'ms'),
    }
  },
}
