/**
 * How cost grows: the same work measured while something else becomes ten times as much, and again. Each sweep gives the
 * points of one or more charts.
 */
import type { Bench } from '../Workload.js'

export type ChartOf<Series extends string = string> = {
  readonly title: string
  readonly unit: string
  readonly series: readonly Series[]
}

/** For one size: the value of each series of each chart. */
export type Point = {
  readonly size: number
  readonly values: Readonly<Record<string, Readonly<Record<string, number>>>>
}

export type Sweep = {
  readonly name: string
  /** What becomes more. */
  readonly of: string
  readonly charts: Readonly<Record<string, ChartOf>>
  readonly points: (bench: Bench, sizes: readonly number[]) => AsyncIterable<Point>
}
