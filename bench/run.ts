/**
 * Runs the benchmarks: npm run bench, or npm run bench -- fire-burst chains. Options: --quick (tiny sizes, figures
 * mean nothing), --largest (how far the workloads about a long life go, default 1,000,000), --folder (a folder
 * on another disk to measure), --write-baseline (keep the figures to compare later runs with), --out (another file for the
 * JSON).
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { describeMachine, machineText } from './machine.js'
import { gainOver, readReport, type Report } from './Report.js'
import { runWorkload, type Results } from './runWorkload.js'
import { defaultLargest } from './Workload.js'
import { workloads } from './workloads.js'

const here = import.meta.dirname
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    largest: { type: 'string', default: String(defaultLargest) },
    folder: { type: 'string', default: tmpdir() },
    'write-baseline': { type: 'boolean', default: false },
    out: { type: 'string', default: join(here, 'results', 'latest.json') },
  },
})
const unknown = positionals.filter((name) => !workloads.some((workload) => workload.name === name))
if (unknown.length > 0)
  throw new Error(
    `No benchmark is named ${unknown.join(' or ')}. There are: ${workloads.map((w) => w.name).join(', ')}.`,
  )
const largest = Number(options.largest)
if (!Number.isInteger(largest) || largest < 10_000)
  throw new Error(`--largest is a whole number of at least 10000, not ${options.largest}.`)
const chosen = positionals.length === 0 ? workloads : workloads.filter(({ name }) => positionals.includes(name))

const show = (value: number): string => (value >= 1_000 ? Math.round(value).toLocaleString('en') : value.toPrecision(3))

const baselineFile = join(here, 'baseline.json')
const baseline = options.quick ? undefined : readReport(baselineFile)

const print = (name: string, results: Results): void => {
  const width = Math.max(32, ...Object.keys(results).map(({ length }) => length))
  for (const [figure, result] of Object.entries(results)) {
    const gain = gainOver(baseline, name, figure, result)
    const cells = [
      figure.padEnd(width),
      show(result.median).padStart(12),
      result.unit.padEnd(14),
      result.values.length > 1 ? `±${Math.round((result.spread * 100) / 2)} %`.padEnd(8) : ''.padEnd(8),
      gain === undefined ? '' : `${gain.toFixed(2)} × baseline`,
    ]
    console.log(`  ${cells.join(' ').trimEnd()}`)
  }
}

const machine = describeMachine(options)
console.log(`${machineText(machine)}${options.quick ? '\nQuick sizes: the figures mean nothing.' : ''}`)

const results: Record<string, Results> = {}
for (const workload of chosen) {
  console.log(`\n${workload.name}: ${workload.measures}\n  Not measured: ${workload.doesNotMeasure}`)
  console.log(`  Durability: ${workload.durability}. Seed: ${workload.seed}.`)
  const found = await runWorkload(workload, {
    quick: options.quick,
    keptFolder: join(here, 'kept'),
    within: options.folder,
    largest,
    tell: (line) => console.log(line),
  })
  results[workload.name] = found
  print(workload.name, found)
}

const report: Report = { ...machine, results }
mkdirSync(dirname(resolve(options.out)), { recursive: true })
writeFileSync(options.out, `${JSON.stringify(report, null, 2)}\n`)
if (options['write-baseline']) {
  // A run of some benchmarks replaces those and leaves the others as they were.
  const whole: Report = { ...report, results: { ...baseline?.results, ...results } }
  writeFileSync(baselineFile, `${JSON.stringify(whole, null, 2)}\n`)
}
