/**
 * The load at its full size, on a store on disk: npm run sample:tasks:load, or with another number of tasks behind it.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EmbeddedStore } from 'carillon/logs'
import { runLoad } from './runLoad.js'

const tasks = Number(process.argv[2] ?? 10_000)
const folder = mkdtempSync(join(tmpdir(), 'recurring-tasks-load-'))
const store = EmbeddedStore.open(join(folder, 'load.sqlite'))
try {
  const report = await runLoad(tasks, { store })
  const { account, expected } = report
  const unaccounted = [...expected].filter((execution) => !account.ended.has(execution)).length
  console.log(`${tasks} tasks, ${expected.size} executions, three hours of outage`)
  console.log(`executed ${account.executed}, failed ${account.failed}, missed ${account.missed}`)
  console.log(
    `unaccounted for ${unaccounted}, accounted for twice ${account.doubled.length}, tasks left ${report.tasksLeft}`,
  )
  console.log(
    `scheduling took ${(report.schedulingMs / 1_000).toFixed(1)} s (${(report.schedulingMs / tasks).toFixed(2)} ms a task), the day ${(report.dayMs / 1_000).toFixed(1)} s`,
  )
  process.exitCode = unaccounted + account.doubled.length + report.tasksLeft === 0 ? 0 : 1
} finally {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
}
