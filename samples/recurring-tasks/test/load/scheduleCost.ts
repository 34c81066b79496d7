/**
 * What scheduling one task costs among many, on a store on disk: npm run sample:tasks:cost -- 1000 10000 100000.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EmbeddedStore } from 'carillon/logs'
import { costOf } from './costOf.js'

const given = process.argv.slice(2).map(Number)
const sizes = given.length === 0 ? [1_000, 10_000] : given
const timed = 300

const folder = mkdtempSync(join(tmpdir(), 'recurring-tasks-cost-'))
const store = EmbeddedStore.open(join(folder, 'cost.sqlite'))
try {
  for await (const { tasks, wallMs, cpuMs } of costOf(store, sizes, timed))
    console.log(
      `${tasks} tasks: ${wallMs.toFixed(2)} ms to schedule one, ${cpuMs.toFixed(2)} ms of it on the processor`,
    )
} finally {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
}
