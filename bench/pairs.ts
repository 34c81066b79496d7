/**
 * Compares two builds: npm run bench:pairs -- --before ../other-checkout fire-burst replay. Both checkouts must be built.
 * They are measured in turns, the other one first each time, so that whatever the machine does meanwhile happens to both.
 * Reports for each figure the median over the pairs of how much better this build is, and the smallest and largest.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { gainOver, readReport, type Report } from './Report.js'
import { median } from './statistics.js'

const defaultPairs = 7

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { before: { type: 'string' }, pairs: { type: 'string', default: String(defaultPairs) } },
})
const pairs = Number(options.pairs)
if (options.before === undefined || positionals.length === 0 || !Number.isInteger(pairs) || pairs < 1)
  throw new Error('Name the other checkout and some workloads: npm run bench:pairs -- --before ../before fire-burst.')
const before = resolve(options.before)
const here = resolve(import.meta.dirname, '..')
const scratch = mkdtempSync(join(tmpdir(), 'carillon-pairs-'))

const measure = (checkout: string, workload: string): Report => {
  const out = join(scratch, 'report.json')
  execFileSync(process.execPath, ['--import', 'tsx', 'bench/run.ts', workload, '--out', out], {
    cwd: checkout,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const report = readReport(out)
  if (report === undefined) throw new Error(`${workload} in ${checkout} has left no report.`)
  return report
}

try {
  for (const workload of positionals) {
    const gains = new Map<string, number[]>()
    for (let pair = 0; pair < pairs; pair++) {
      const isOtherFirst = pair % 2 === 0
      const first = measure(isOtherFirst ? before : here, workload)
      const second = measure(isOtherFirst ? here : before, workload)
      const [old, now] = isOtherFirst ? [first, second] : [second, first]
      for (const [figure, result] of Object.entries(now.results[workload] ?? {})) {
        const gain = gainOver(old, workload, figure, result)
        if (gain !== undefined) gains.set(figure, [...(gains.get(figure) ?? []), gain])
      }
    }
    for (const [figure, values] of gains)
      console.log(
        `${workload}  ${figure.padEnd(40)} ${median(values).toFixed(3)} (${Math.min(...values).toFixed(3)} to ${Math.max(...values).toFixed(3)}, ${values.length} pairs)`,
      )
  }
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
