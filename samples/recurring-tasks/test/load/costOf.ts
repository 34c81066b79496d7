/**
 * What scheduling one task costs when there are many already: fills a registry up to each size and times the last few
 * hundred requests, one after another. It does not measure callers that come at once.
 */
import type { OpenStore } from 'carillon/logs'
import { VirtualNode } from 'carillon/testing'
import { recurringTasks } from '../../app.js'
import { signed } from '../../model/Origin.js'
import { defaultSettings } from '../../model/Settings.js'
import { instantOf } from '../../model/slots.js'
import { TaskRegistry } from '../../TaskRegistry.js'

export type Cost = {
  readonly tasks: number
  /** The median of how long one took, until it was durable. */
  readonly wallMs: number
  /** What one took of the processor, on average: the same on a busy machine and on an idle one. */
  readonly cpuMs: number
}

const start = Date.parse('2026-01-01T00:00:00Z') / 1_000
const slotSeconds = 60
const settings = { ...defaultSettings, slotSeconds, sweepWeight: 10_000_000, horizonSeconds: 86_400 * 365 }
const atOnce = 200

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

/** Sizes from small to large; `timed` requests are timed at each. */
export const costOf = async function* (
  store: OpenStore,
  sizes: readonly number[],
  timed: number,
): AsyncGenerator<Cost> {
  const virtual = await VirtualNode.start({ app: recurringTasks(), start: instantOf(start), development: false, store })
  const registry = await TaskRegistry.open(virtual.node, { settings })
  await registry.endow('alice', 1_000_000_000_000_000)
  const schedule = async (task: number): Promise<void> => {
    const slot = start + slotSeconds * (2 + Math.floor(task / settings.tasksPerSlot))
    const outcome = await registry.scheduleNotifyTask(signed('alice'), String(task), [slot], 'hello')
    if (!outcome.ok) throw new Error(`Task ${task} was refused: ${outcome.error}`)
  }
  let stored = 0
  for (const tasks of sizes) {
    while (stored < tasks - timed) {
      const many = Math.min(atOnce, tasks - timed - stored)
      await Promise.all(Array.from({ length: many }, (_, index) => schedule(stored + index)))
      stored += many
    }
    const walls: number[] = []
    const cpuBefore = process.cpuUsage()
    for (; stored < tasks; stored++) {
      const begun = performance.now()
      await schedule(stored)
      walls.push(performance.now() - begun)
    }
    const { user, system } = process.cpuUsage(cpuBefore)
    yield { tasks, wallMs: median(walls), cpuMs: (user + system) / 1_000 / walls.length }
  }
  await virtual.stop()
}
