/**
 * What the oracle knows: the rates of an index on a day, one for each tenor that was announced, and what lies
 * between them on a natural cubic spline; outside the points nothing is known, and nothing is guessed. A sheet is
 * a state on the oracle's own ledger, so what it has announced survives whatever happens to it.
 */
import * as t from 'io-ts'
import { defineState, PartyC } from 'carillon'
import { daysBetween, LocalDateC, maturityOf, TenorC, type Tenor } from 'carillon/calendars'
import { record } from '../../shared/record.js'
import { Exact, rate, RateC, type Rate } from '../money.js'
import type { FixOf } from './Fix.js'

export type Point = { readonly x: number; readonly y: number }
export type Curve = (x: number) => number

const leastPoints = 3

const inOrder = (points: readonly Point[]): readonly Point[] => {
  const sorted = [...points].sort((a, b) => a.x - b.x)
  if (sorted.length < leastPoints)
    throw new RangeError(`A cubic spline needs ${leastPoints} points, and there are ${sorted.length}.`)
  if (sorted.some(({ x }, index) => sorted[index + 1]?.x === x)) throw new RangeError('Two points have the same place.')
  return sorted
}

/** The two points around a place. */
const around = (points: readonly Point[], x: number): readonly [Point, Point, number] => {
  const above = points.findIndex((point, index) => index > 0 && x <= point.x)
  const low = points[above - 1]
  const high = points[above]
  if (low === undefined || high === undefined || x < low.x)
    throw new RangeError(`${x} lies outside the known points, from ${points[0]?.x ?? 0} to ${points.at(-1)?.x ?? 0}.`)
  return [low, high, above - 1]
}

/** The second derivatives at the points; at both ends they are nothing, which is what makes the spline natural. */
const curvatures = (points: readonly Point[]): readonly number[] => {
  // A tridiagonal system, solved in one sweep forwards and one back.
  const factors: number[] = [0]
  const values: number[] = [0]
  for (let index = 1; index < points.length - 1; index++) {
    const [before, here, after] = points.slice(index - 1, index + 2)
    if (before === undefined || here === undefined || after === undefined) break
    const left = here.x - before.x
    const right = after.x - here.x
    const bend = 6 * ((after.y - here.y) / right - (here.y - before.y) / left)
    const pivot = 2 * (left + right) - left * (factors[index - 1] ?? 0)
    factors.push(right / pivot)
    values.push((bend - left * (values[index - 1] ?? 0)) / pivot)
  }
  const result = new Array<number>(points.length).fill(0)
  for (let index = points.length - 2; index > 0; index--)
    result[index] = (values[index] ?? 0) - (factors[index] ?? 0) * (result[index + 1] ?? 0)
  return result
}

export const naturalCubicSpline = (points: readonly Point[]): Curve => {
  const sorted = inOrder(points)
  const bends = curvatures(sorted)
  return (x) => {
    const [low, high, index] = around(sorted, x)
    const width = high.x - low.x
    const toHigh = (high.x - x) / width
    const toLow = (x - low.x) / width
    const bent = (toHigh ** 3 - toHigh) * (bends[index] ?? 0) + (toLow ** 3 - toLow) * (bends[index + 1] ?? 0)
    return toHigh * low.y + toLow * high.y + (bent * width ** 2) / 6
  }
}

const RateSheetC = record('RateSheet', {
  oracle: PartyC,
  index: t.string,
  day: LocalDateC,
  rates: t.readonlyArray(t.readonly(t.strict({ tenor: TenorC, rate: RateC }))),
})
export type RateSheetData = t.TypeOf<typeof RateSheetC>

export const sheetKey = ({ index, day }: Pick<FixOf, 'index' | 'day'>): string => `${day} ${index}`

export const RateSheet = defineState({
  type: 'rates/RateSheet',
  data: RateSheetC,
  participants: ({ oracle }) => [oracle],
  key: sheetKey,
})

/** Rates between tenors are given to so many places: enough for any market, and the same each time. */
const placesBetween = 10

/** The rate for a tenor: as announced, or on a spline through what was; undefined when that cannot be told. */
export const rateOn = ({ day, rates }: RateSheetData, wanted: Tenor): Rate | undefined => {
  const announced = rates.find(({ tenor }) => tenor === wanted)
  if (announced !== undefined) return announced.rate
  const place = (tenor: Tenor): number => daysBetween(day, maturityOf(tenor, day, ['London']))
  const points = new Map(rates.map((entry) => [place(entry.tenor), new Exact(entry.rate).toNumber()]))
  const x = place(wanted)
  const places = [...points.keys()]
  if (places.length < leastPoints || x < Math.min(...places) || x > Math.max(...places)) return undefined
  const curve = naturalCubicSpline([...points].map(([at, y]) => ({ x: at, y })))
  return rate(new Exact(curve(x)).toDecimalPlaces(placesBetween))
}
