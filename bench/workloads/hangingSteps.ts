/**
 * Whether the step of a flow waits for the steps of others that hang.
 */
import * as t from 'io-ts'
import { defineApp, defineFlow, NoInputC, startNode, type FlowBody, type Node } from 'carillon'
import { quantile } from '../statistics.js'
import { context, fullDurability, less, noSeed, type Workload } from '../Workload.js'

const Hang = defineFlow({
  name: 'bench/Hang',
  input: NoInputC,
  *run(io): FlowBody<void> {
    yield* io.step('hang', () => new Promise<void>(() => undefined))
  },
})

/** Gives how long its step waited for a place; its step itself takes no time. */
const Call = defineFlow({
  name: 'bench/Call',
  input: t.strict({ askedAtMs: t.number }),
  *run(io, { askedAtMs }): FlowBody<number> {
    return yield* io.step('call', () => performance.now() - askedAtMs)
  },
})

const app = defineApp({ name: 'bench', states: [], flows: [Hang, Call] })

const call = (node: Node): Promise<number> => node.run(Call, { askedAtMs: performance.now() })

/** How long the step of another flow takes until it begins: the median of several, one after the other. */
const usual = async (node: Node, calls: number): Promise<number> => {
  const waitedMs: number[] = []
  for (let number = 0; number < calls; number++) waitedMs.push(await call(node))
  return quantile(waitedMs, 0.5)
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** A minute, as nodes have it, except where the workload is only shown to run. */
const quickHangsMs = 200

export const hangingSteps: Workload = {
  name: 'hanging-steps',
  measures:
    'Flows whose steps begin to hang at once: how long the step of another flow waits until it begins, while they take up all places and once they are listed as hanging; and the same without them.',
  doesNotMeasure: 'Steps that hang and keep the processor busy: nothing in this process runs beside those.',
  durability: fullDurability,
  seed: noSeed,
  repetitions: 1,
  run: async ({ quick, folder }) => {
    const count = quick ? 300 : 10_000
    const calls = quick ? 5 : 200
    const limits = quick ? { engine: { stepPlaceMs: 20, stepHangsMs: quickHangsMs } } : {}
    const node = await startNode({ app, store: folder, limits })
    await usual(node, calls)
    const without = await usual(node, calls)
    const handles = await Promise.all(Array.from({ length: count }, () => node.start(Hang, {})))
    const first = await call(node)
    while (node.hangingSteps.length < count) await pause(100)
    const listed = await usual(node, calls)
    for (const { id } of handles) await node.killFlow(id)
    await node.stop()
    return {
      'steps that hang': context(count, 'steps'),
      'first step beside them': less(first / 1_000, 's'),
      'a step once they are listed, median': less(listed, 'ms'),
      'a step without them, median': less(without, 'ms'),
      'listed over without': less(listed / without, '×'),
    }
  },
}
