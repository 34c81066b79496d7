/**
 * Runs sweeps and draws their charts: an SVG for each, and the data of all beside them. A chart whose sweep is not run
 * stays as it is.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Bench } from '../Workload.js'
import { byEvents } from './byEvents.js'
import { byPending } from './byPending.js'
import { bySpent } from './bySpent.js'
import { byStates } from './byStates.js'
import { lineChartSvg } from './LineChart.js'
import type { Point, Sweep } from './Sweep.js'

export const sweeps: readonly Sweep[] = [byPending, byStates, bySpent, byEvents]

export type CurvesOptions = Omit<Bench, 'folder'> & {
  readonly sizes: readonly number[]
  readonly outFolder: string
  readonly machine: Readonly<Record<string, unknown>>
  readonly onPoint?: (sweep: Sweep, point: Point) => void
}

type Kept = Record<string, unknown>

const pointsOf = async (sweep: Sweep, { sizes, onPoint, ...options }: CurvesOptions): Promise<readonly Point[]> => {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-curves-'))
  const points: Point[] = []
  try {
    for await (const point of sweep.points({ ...options, folder }, sizes)) {
      points.push(point)
      onPoint?.(sweep, point)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return points
}

export const drawCurves = async (chosen: readonly Sweep[], options: CurvesOptions): Promise<void> => {
  mkdirSync(options.outFolder, { recursive: true })
  const dataFile = join(options.outFolder, 'curves.json')
  for (const sweep of chosen) {
    const points = await pointsOf(sweep, options)
    for (const [name, { title, unit, series }] of Object.entries(sweep.charts)) {
      const valuesOf = (each: string) =>
        points.map(({ size, values }) => ({ size, value: values[name]?.[each] ?? Number.NaN }))
      const svg = lineChartSvg({
        title,
        of: sweep.of,
        unit,
        series: Object.fromEntries(series.map((each) => [each, valuesOf(each)])),
      })
      writeFileSync(join(options.outFolder, `${name}.svg`), svg)
    }
    const kept: Kept = existsSync(dataFile) ? (JSON.parse(readFileSync(dataFile, 'utf8')) as Kept) : {}
    const data = { ...kept, [sweep.name]: { of: sweep.of, ...options.machine, charts: sweep.charts, points } }
    writeFileSync(dataFile, `${JSON.stringify(data, null, 2)}\n`)
  }
}
