/**
 * The results of a run of benchmarks, with the machine they were measured on; kept as JSON and compared by ratio.
 */
import { readFileSync, existsSync } from 'node:fs'
import { isLeft } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'

const ResultC = t.strict({
  unit: t.string,
  better: t.keyof({ more: null, less: null, neither: null }),
  median: t.number,
  spread: t.number,
  values: t.readonlyArray(t.number),
})

export const ReportC = t.strict({
  at: t.string,
  node: t.string,
  cores: t.number,
  cpu: t.string,
  /** Load of the machine before the first benchmark: above 0, the figures are not the program's alone. */
  loadBefore: t.number,
  diskSync: t.strict({ p50Ms: t.number, p99Ms: t.number }),
  results: t.record(t.string, t.record(t.string, ResultC)),
})
export type Report = t.TypeOf<typeof ReportC>

export const readReport = (file: string): Report | undefined => {
  if (!existsSync(file)) return undefined
  const report = ReportC.decode(JSON.parse(readFileSync(file, 'utf8')))
  if (isLeft(report)) throw new Error(`${file} is not a report of this benchmark program. Remove it and run again.`)
  return report.right
}

/** How much better than the baseline: 1.2 is a fifth better, whichever way the figure counts. */
export const gainOver = (
  baseline: Report | undefined,
  workload: string,
  figure: string,
  now: t.TypeOf<typeof ResultC>,
): number | undefined => {
  const before = baseline?.results[workload]?.[figure]
  if (before === undefined || now.better === 'neither' || before.median === 0 || now.median === 0) return undefined
  return now.better === 'more' ? now.median / before.median : before.median / now.median
}
