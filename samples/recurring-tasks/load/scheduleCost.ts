/**
 * What scheduling one task costs when there are many already: npm run sample:tasks:cost -- 1000 10000 100000. It fills
 * a registry up to each size and times the last few hundred requests, one after another, on a store on disk. It does
 * not measure callers that come at once.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EmbeddedStore } from 'carillon'
import { VirtualNode } from 'carillon/testing'
import { recurringTasks } from '../app.js'
import { signed } from '../model/Origin.js'
import { defaultSettings } from '../model/Settings.js'
import { instantOf } from '../model/timeSlots.js'
import { TaskRegistry } from '../TaskRegistry.js'

const sizes = process.argv.slice(2).map(Number)
const timed = 300
const start = Date.parse('2026-01-01T00:00:00Z') / 1_000
const slotSeconds = 60
const settings = { ...defaultSettings, slotSeconds, sweepWeight: 10_000_000, horizonSeconds: 86_400 * 365 }

const folder = mkdtempSync(join(tmpdir(), 'recurring-tasks-cost-'))
try {
  const virtual = await VirtualNode.start({
    app: recurringTasks(),
    start: instantOf(start),
    development: false,
    store: EmbeddedStore.open(join(folder, 'cost.sqlite')),
  })
  const registry = await TaskRegistry.open(virtual.node, { settings })
  await registry.endow('alice', 1_000_000_000_000_000)
  const schedule = async (task: number): Promise<void> => {
    const slot = start + slotSeconds * (2 + Math.floor(task / settings.tasksPerSlot))
    const outcome = await registry.scheduleNotifyTask(signed('alice'), String(task), [slot], 'hello')
    if (!outcome.ok) throw new Error(`Task ${task} was refused: ${outcome.error}`)
  }
  let stored = 0
  for (const size of sizes.length === 0 ? [1_000, 10_000] : sizes) {
    while (stored < size - timed) {
      const many = Math.min(200, size - timed - stored)
      await Promise.all(Array.from({ length: many }, (_, index) => schedule(stored + index)))
      stored += many
    }
    const begun = performance.now()
    for (; stored < size; stored++) await schedule(stored)
    console.log(`${size} tasks: ${((performance.now() - begun) / timed).toFixed(2)} ms to schedule one`)
  }
  await virtual.stop()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
