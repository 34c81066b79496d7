/**
 * What the oracle knows: the rates of an index on a day, one for each tenor that was announced. A sheet is a state on
 * the oracle's own ledger, so what it has announced survives whatever happens to it.
 */
import { defineState, PartyC } from 'carillon'
import { daysBetween, LocalDateC, maturityOf, TenorC, type Tenor } from 'carillon/calendars'
import * as t from 'io-ts'
import { Exact, rate, RateC, type Rate } from '../money/Rate.js'
import type { FixOf } from './Fix.js'
import { naturalCubicSpline } from './interpolate.js'

const RateSheetC = t.readonly(
  t.strict({
    oracle: PartyC,
    index: t.string,
    day: LocalDateC,
    rates: t.readonlyArray(t.readonly(t.strict({ tenor: TenorC, rate: RateC }))),
  }),
  'RateSheet',
)
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

const leastPoints = 3

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
