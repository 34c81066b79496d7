/**
 * A virtual year of heartbeats a minute apart, each a tick of its own: how quickly time can pass in a test.
 */
import { VirtualNode } from 'carillon/testing'
import { app, StartHeartbeat } from '../../samples/heartbeat/app.js'
import { context, less, more, type Workload } from '../Workload.js'

const minutesAYear = 525_600

export const virtualYear: Workload = {
  name: 'virtual-year',
  measures:
    'One heart of the sample that beats every minute of a virtual year: 525,600 activities, each due at an instant of its own, so none shares a tick with another.',
  doesNotMeasure: 'The disk; several nodes; activities that share an instant, which cost less each.',
  durability: 'none: the store is in memory',
  seed: 'fixed: the same ids and salts every time',
  repetitions: 1,
  run: async ({ quick }) => {
    const beats = quick ? 60 : minutesAYear
    // As a node runs in production; tests would have every flow checked for determinism as well.
    const virtual = await VirtualNode.start({ app, development: false })
    await virtual.node.run(StartHeartbeat, { name: 'heart', intervalMs: 60_000, missedBeats: 'catch-up' })
    const before = virtual.node.head.revision
    const startedMs = performance.now()
    await virtual.advanceBy({ minutes: beats })
    const tookMs = performance.now() - startedMs
    const events = virtual.node.head.revision - before
    const occurrences = (await virtual.node.flows({ name: 'heartbeat/Beat', limit: 1 })).items.length
    if (occurrences === 0) throw new Error('The heart has not beaten.')
    await virtual.stop()
    return {
      events: more((events / tookMs) * 1_000, 'events/s'),
      beats: more((beats / tookMs) * 1_000, 'beats/s'),
      'the whole year': less((tookMs / beats) * minutesAYear, 'ms'),
      recorded: context(events, 'events'),
    }
  },
}
