/**
 * What a period owes: notional × rate × day count factor. Nothing is divided before everything is multiplied, so the
 * only roundings are those that the trade declares.
 */
import { IntegerC } from 'carillon'
import type { Decimal } from 'decimal.js'
import type { Fraction } from './DayCount.js'
import { Exact, type Rate } from './Rate.js'
import { round, type Rounding } from './Rounding.js'

/** The day count factor as it stands in a schedule: rounded, such as `0.5028`, or exact, such as `181/360`. */
export const factorOf = ({ factor: steps }: Rounding, { numerator, denominator }: Fraction): string => {
  const last = steps.at(-1)
  if (last === undefined) return `${numerator}/${denominator}`
  const exact = new Exact(numerator).div(denominator)
  return steps.reduce((value, { decimals, mode }) => round(value, decimals, mode), exact).toFixed(last.decimals)
}

/** The flow of a period in minor units; negative when the rate is. */
export const flowOf = (notionalMinor: number, rate: Rate, factor: string, { flow }: Rounding): number => {
  const [numerator = '0', denominator = '1'] = factor.split('/')
  const product: Decimal = new Exact(notionalMinor).times(rate).times(numerator)
  const minor = round(product.div(denominator), 0, flow).toNumber()
  // What is cut off from a small negative amount leaves a zero without a sign.
  const whole = minor === 0 ? 0 : minor
  if (IntegerC.is(whole)) return whole
  throw new RangeError(`A flow of ${String(minor)} minor units is more than can be counted exactly.`)
}
