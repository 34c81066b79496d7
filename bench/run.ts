/**
 * Runs the benchmarks: npm run bench, or npm run bench -- fire-burst chains. Options: --quick (tiny sizes, figures
 * mean nothing), --write-baseline (keep the figures to compare later runs with).
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { measureDiskSync, type DiskSync } from './diskSync.js'
import { gainOver, readReport, type Report } from './Report.js'
import { runWorkload, type Results } from './runWorkload.js'
import { workloads } from './workloads.js'

const here = import.meta.dirname
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false }, 'write-baseline': { type: 'boolean', default: false } },
})
const unknown = positionals.filter((name) => !workloads.some((workload) => workload.name === name))
if (unknown.length > 0)
  throw new Error(
    `No benchmark is named ${unknown.join(' or ')}. There are: ${workloads.map((w) => w.name).join(', ')}.`,
  )
const chosen = positionals.length === 0 ? workloads : workloads.filter(({ name }) => positionals.includes(name))

const syncProbe = (): DiskSync => {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-bench-'))
  try {
    return measureDiskSync(folder, options.quick ? 20 : 500)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const show = (value: number): string => (value >= 1_000 ? Math.round(value).toLocaleString('en') : value.toPrecision(3))

const baselineFile = join(here, 'baseline.json')
const baseline = options.quick ? undefined : readReport(baselineFile)

const print = (name: string, results: Results): void => {
  for (const [figure, result] of Object.entries(results)) {
    const gain = gainOver(baseline, name, figure, result)
    const cells = [
      figure.padEnd(32),
      show(result.median).padStart(12),
      result.unit.padEnd(14),
      result.values.length > 1 ? `±${Math.round((result.spread * 100) / 2)} %`.padEnd(8) : ''.padEnd(8),
      gain === undefined ? '' : `${gain.toFixed(2)} × baseline`,
    ]
    console.log(`  ${cells.join(' ').trimEnd()}`)
  }
}

const machine = {
  at: new Date().toISOString(),
  node: process.version,
  cores: availableParallelism(),
  cpu: cpus()[0]?.model ?? 'unknown',
  loadBefore: loadavg()[0] ?? 0,
  diskSync: syncProbe(),
}
console.log(
  `Node ${machine.node}, ${machine.cores} cores (${machine.cpu}), load ${machine.loadBefore.toFixed(2)}, fdatasync p50 ${machine.diskSync.p50Ms.toFixed(2)} ms, p99 ${machine.diskSync.p99Ms.toFixed(2)} ms${options.quick ? '\nQuick sizes: the figures mean nothing.' : ''}`,
)

const results: Record<string, Results> = {}
for (const workload of chosen) {
  console.log(`\n${workload.name}: ${workload.measures}\n  Not measured: ${workload.doesNotMeasure}`)
  console.log(`  Durability: ${workload.durability}. Seed: ${workload.seed}.`)
  const found = await runWorkload(workload, { quick: options.quick, keptFolder: join(here, 'kept') })
  results[workload.name] = found
  print(workload.name, found)
}

const report: Report = { ...machine, results }
mkdirSync(join(here, 'results'), { recursive: true })
const text = `${JSON.stringify(report, null, 2)}\n`
writeFileSync(join(here, 'results', 'latest.json'), text)
if (options['write-baseline']) {
  // A run of some benchmarks replaces those and leaves the others as they were.
  const whole: Report = { ...report, results: { ...baseline?.results, ...results } }
  writeFileSync(baselineFile, `${JSON.stringify(whole, null, 2)}\n`)
}
