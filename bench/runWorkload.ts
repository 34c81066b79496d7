/**
 * Runs one workload as often as it asks for and reduces the repetitions to a median and a spread for each figure.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median, spread } from './statistics.js'
import type { Bench, Figures, Workload } from './Workload.js'

export type Result = {
  readonly unit: string
  readonly better: 'more' | 'less' | 'neither'
  readonly median: number
  /** (largest − smallest) / median; where that is 0, / the largest. */
  readonly spread: number
  readonly values: readonly number[]
}

export type Results = Readonly<Record<string, Result>>

const reduce = (runs: readonly Figures[]): Results => {
  const [first = {}] = runs
  return Object.fromEntries(
    Object.entries(first).map(([name, { unit, better }]) => {
      const values = runs.flatMap((run) => run[name]?.value ?? [])
      return [name, { unit, better, median: median(values), spread: spread(values), values }]
    }),
  )
}

/** What the runner is told, with a folder in which each repetition gets one of its own. */
export type RunOptions = Omit<Bench, 'folder'> & { readonly within?: string }

export const runWorkload = async (
  workload: Workload,
  { within = tmpdir(), ...options }: RunOptions,
): Promise<Results> => {
  const runs: Figures[] = []
  const warmUps = options.quick ? 0 : (workload.warmUps ?? 0)
  for (let repetition = -warmUps; repetition < (options.quick ? 1 : workload.repetitions); repetition++) {
    const folder = mkdtempSync(join(within, 'carillon-bench-'))
    try {
      const figures = await workload.run({ ...options, folder })
      if (repetition >= 0) runs.push(figures)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  return reduce(runs)
}
