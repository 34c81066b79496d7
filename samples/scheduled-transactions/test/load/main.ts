/**
 * The load at its full size, on a store on disk: npm run load:signatures, or with another number of schedules behind it.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EmbeddedStore } from 'carillon/logs'
import { runLoad } from './runLoad.js'

const count = Number(process.argv[2] ?? 10_000)
const folder = mkdtempSync(join(tmpdir(), 'scheduled-transactions-load-'))
const perSecond = (number: number, ms: number): string =>
  `${Math.round((number / ms) * 1_000).toLocaleString('en')} a second`
const store = EmbeddedStore.open(join(folder, 'load.sqlite'))
try {
  const report = await runLoad(count, { store })
  const { executed, expired, mostPending, signatures, moved } = report
  console.log(`${mostPending} schedules pending at one time, 1 to 100 signers each, ${signatures} signatures`)
  const isOnce = executed + expired === count && executed === moved
  console.log(
    `executed ${executed}, ${isOnce ? 'each once' : 'NOT each once'} (${moved} transfers); left to expire ${expired}`,
  )
  console.log(`creating ${(report.creatingMs / 1_000).toFixed(1)} s (${perSecond(count, report.creatingMs)})`)
  console.log(
    `signing ${(report.signingMs / 1_000).toFixed(1)} s (${perSecond(signatures, report.signingMs)} signatures)`,
  )
  console.log(
    `expiring ${(report.expiringMs / 1_000).toFixed(1)} s (${perSecond(Math.max(1, expired), report.expiringMs)})`,
  )
  process.exitCode = isOnce ? 0 : 1
} finally {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
}
