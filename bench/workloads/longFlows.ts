/**
 * A flow of thousands of operations: whether the last costs more than the first, and what it takes to run them all again.
 */
import * as t from 'io-ts'
import { defineApp, defineFlow, defineSignal, startNode, type FlowBody, type Node } from 'carillon'
import { median } from '../statistics.js'
import { context, fullDurability, less, noSeed, type Workload } from '../Workload.js'

const Go = defineSignal({ name: 'bench/Go', data: t.strict({}) })

/** When each step of the flow that is measured began. */
const beganMs: number[] = []

const Long = defineFlow({
  name: 'bench/Long',
  input: t.strict({ steps: t.number }),
  *run(io, { steps }): FlowBody<number> {
    for (let number = 0; number < steps; number++)
      yield* io.step(`step ${number}`, () => {
        beganMs.push(performance.now())
        return number
      })
    yield* io.signal(Go)
    return steps
  },
})

const app = defineApp({ name: 'bench', states: [], flows: [Long], signals: [Go] })

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** The time from each step to the next: the median of the last tenth over that of the first. */
const growthOf = (times: readonly number[]): { readonly firstMs: number; readonly lastMs: number } => {
  const costs = times.slice(1).map((atMs, index) => atMs - (times[index] ?? atMs))
  const tenth = Math.ceil(costs.length / 10)
  return { firstMs: median(costs.slice(0, tenth)), lastMs: median(costs.slice(-tenth)) }
}

/** Starts a flow, lets it run its steps and wait for its signal; what ends it, and says how long that took. */
const waiting = async (node: Node, steps: number): Promise<() => Promise<number>> => {
  beganMs.length = 0
  const { id, result } = await node.start(Long, { steps })
  while ((await node.flow(id))?.waiting?.[0].for !== 'signal') await pause(50)
  return async () => {
    const startedMs = performance.now()
    await node.signal(id, Go, {})
    await result()
    return performance.now() - startedMs
  }
}

export const longFlows: Workload = {
  name: 'long-flows',
  measures:
    'A flow of 5,000 steps that do nothing: the time from one to the next at its end over that at its beginning; and how long it takes to run the code again over the record, when the flow is woken after it was evicted.',
  doesNotMeasure: 'Records of other operations: one that brings a state reads that, too.',
  durability: fullDurability,
  seed: noSeed,
  repetitions: 3,
  run: async ({ quick, folder }) => {
    const steps = quick ? 50 : 5_000
    const node = await startNode({ app, store: folder, limits: { engine: { liveFlows: 1 } } })
    // So that what is measured first has been compiled, too.
    await (
      await waiting(node, steps)
    )()
    const end = await waiting(node, steps)
    const { firstMs, lastMs } = growthOf(beganMs)
    const liveMs = await end()
    const endEvicted = await waiting(node, steps)
    // Only one flow is kept in memory, and from now on it is this one.
    const endOther = await waiting(node, 1)
    const evictedMs = await endEvicted()
    await endOther()
    await node.stop()
    return {
      'a step, first tenth': context(firstMs, 'ms'),
      'a step, last tenth': context(lastMs, 'ms'),
      'last over first': less(lastMs / firstMs, '×'),
      'an operation run again': less((Math.max(0, evictedMs - liveMs) / steps) * 1_000, 'µs'),
    }
  },
}
