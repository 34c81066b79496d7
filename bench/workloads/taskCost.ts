/**
 * What scheduling one task of the recurring-tasks sample costs when there are a thousand already, and when there are a
 * million.
 */
import { join } from 'node:path'
import { EmbeddedStore } from 'carillon/logs'
import { costOf } from '../../samples/recurring-tasks/test/load/costOf.js'
import { context, fullDurability, less, noSeed, type Figure, type Workload } from '../Workload.js'

export const taskCost: Workload = {
  name: 'task-cost',
  measures:
    'Scheduling one task among 1,000, 10,000, 100,000 and 1,000,000 others: 300 requests one after another at each size, the median until one is durable, and what one takes of the processor. It must not grow.',
  doesNotMeasure: 'Callers that come at once; running the tasks.',
  durability: fullDurability,
  seed: noSeed,
  repetitions: 1,
  run: async ({ quick, folder }) => {
    const sizes = quick ? [20, 60] : [1_000, 10_000, 100_000, 1_000_000]
    const figures: Record<string, Figure> = {}
    const cpu: number[] = []
    const store = EmbeddedStore.open(join(folder, 'tasks.sqlite'))
    for await (const { tasks, wallMs, cpuMs } of costOf(store, sizes, quick ? 10 : 300)) {
      figures[`at ${tasks}`] = less(wallMs, 'ms')
      figures[`processor at ${tasks}`] = less(cpuMs, 'ms')
      cpu.push(cpuMs)
    }
    await store.close()
    return { ...figures, growth: context((cpu.at(-1) ?? 0) / (cpu[0] ?? 1), 'times') }
  },
}
