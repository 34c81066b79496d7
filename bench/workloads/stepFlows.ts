/**
 * Flows of several steps: how long one takes alone, how many end a second, and what parallel steps cost.
 */
import * as t from 'io-ts'
import { defineApp, defineFlow, startNode, type FlowBody, type FlowIo, type Node } from 'carillon'
import { flowsInFlight, stepCounts, stepsAtLowLoad } from '../peers/workloads/steps.js'
import { quantile } from '../statistics.js'
import { fullDurability, less, more, noSeed, type Figure, type Workload } from '../Workload.js'

const stepNumber = (io: FlowIo, number: number): FlowBody<number> => io.step(`step ${number}`, () => number)

const InARow = defineFlow({
  name: 'bench/InARow',
  input: t.strict({ steps: t.number }),
  *run(io, { steps }): FlowBody<number> {
    let sum = 0
    for (let number = 0; number < steps; number++) sum += yield* stepNumber(io, number)
    return sum
  },
})

const SideBySide = defineFlow({
  name: 'bench/SideBySide',
  input: t.strict({ steps: t.number }),
  *run(io, { steps }): FlowBody<number> {
    const parts = Array.from({ length: steps }, (_, number) => [`part ${number}`, stepNumber(io, number)] as const)
    return (yield* io.all(parts)).length
  },
})

const app = defineApp({ name: 'bench', states: [], flows: [InARow, SideBySide] })

const timed = async (run: () => Promise<unknown>): Promise<number> => {
  const startedMs = performance.now()
  await run()
  return performance.now() - startedMs
}

/** One flow after the other, with a pause between them: how long each took. */
const oneByOne = async (count: number, pauseMs: number, run: () => Promise<unknown>): Promise<readonly number[]> => {
  const times: number[] = []
  for (let number = 0; number < count; number++) {
    times.push(await timed(run))
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
  return times
}

/** Flows a second, so many under way all the time. */
const pace = async (node: Node, steps: number, count: number): Promise<number> => {
  let left = count
  const lane = async (): Promise<void> => {
    while (left-- > 0) await node.run(InARow, { steps })
  }
  const tookMs = await timed(() => Promise.all(Array.from({ length: flowsInFlight }, lane)))
  return (count / tookMs) * 1_000
}

export const stepFlows: Workload = {
  name: 'step-flows',
  measures: `Flows of steps that do nothing, each durable before the next begins: how long one of ${stepsAtLowLoad} takes with 10 ms between them, how many of ${stepCounts.join(', ')} end a second with ${flowsInFlight} under way all the time, and how long a flow of 100 parallel steps takes.`,
  doesNotMeasure: 'Steps that do something, which is most of what a step takes in life.',
  durability: fullDurability,
  seed: noSeed,
  repetitions: 3,
  run: async ({ quick, folder }) => {
    const node = await startNode({ app, store: folder })
    const steps = stepsAtLowLoad
    await oneByOne(quick ? 2 : 200, 0, () => node.run(InARow, { steps }))
    const alone = await oneByOne(quick ? 10 : 500, 10, () => node.run(InARow, { steps }))
    const figures: Record<string, Figure> = {
      [`${steps} steps at low load, p50`]: less(quantile(alone, 0.5), 'ms'),
      [`${steps} steps at low load, p99`]: less(quantile(alone, 0.99), 'ms'),
    }
    for (const count of stepCounts) {
      await pace(node, count, quick ? 10 : 500)
      const name = `${count} ${count === 1 ? 'step' : 'steps'} at high load`
      figures[name] = more(await pace(node, count, quick ? 50 : 5_000), 'flows/s')
    }
    const parallel = await oneByOne(quick ? 2 : 50, 0, () => node.run(SideBySide, { steps: 100 }))
    await node.stop()
    return { ...figures, '100 parallel steps, p50': less(quantile(parallel, 0.5), 'ms') }
  },
}
