/**
 * Scheduling one state at a time: each a client's flow of its own, with a transaction of its own.
 */
import { startNode, type Node } from 'carillon'
import { HeldClock } from '../HeldClock.js'
import { farMs, Produce, pulseApp } from '../pulseApp.js'
import { fullDurability, more, noSeed, type Workload } from '../Workload.js'

const inFlight = 1_000

const produceOne = (node: Node, clock: HeldClock, number: number): Promise<number> =>
  node.run(Produce, {
    first: number,
    count: 1,
    statesPerTransaction: 1,
    dueAt: clock.after(farMs),
    apartMs: 0,
    everyMs: farMs,
  })

/** Produces so many by as many calls, and says how many milliseconds that took. */
export const produceSingly = async (node: Node, clock: HeldClock, count: number): Promise<number> => {
  let next = 0
  const client = async (): Promise<void> => {
    while (next < count) await produceOne(node, clock, next++)
  }
  const startedMs = performance.now()
  await Promise.all(Array.from({ length: Math.min(inFlight, count) }, client))
  return performance.now() - startedMs
}

export const produceSingle: Workload = {
  name: 'produce-single',
  measures: `States with an activity, one transaction and one client call each, ${inFlight} calls in flight, until each call has its durable result.`,
  doesNotMeasure: 'A network between client and node; contracts beyond "participants sign".',
  durability: fullDurability,
  seed: noSeed,
  repetitions: 3,
  warmUps: 1,
  run: async ({ quick, folder }) => {
    const count = quick ? 50 : 20_000
    const clock = new HeldClock()
    const node = await startNode({ app: pulseApp, store: folder, clock })
    const tookMs = await produceSingly(node, clock, count)
    await node.stop()
    return { states: more((count / tookMs) * 1_000, 'states/s') }
  },
}
