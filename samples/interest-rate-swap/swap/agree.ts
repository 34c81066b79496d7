/**
 * The rules of an agreement. That its dates are business days was for the two banks to see when they signed: lists
 * of holidays change, and a contract must come to the same verdict in ten years. It does check everything that
 * follows from the dates.
 */
import { rule, type Rule } from 'carillon'
import { daysBetween, periodsBetween, type LocalDate } from 'carillon/calendars'
import { accrued, factorOf, flowOf } from '../money.js'
import type { FixedPeriod, FloatingPeriod } from '../schedule.js'
import type { Leg } from '../terms/Terms.js'
import { parseExpression } from '../terms/expression.js'
import type { SwapData } from './SwapKind.js'
import { signedBy, type Case } from './changes.js'

/** Further than any holidays move a date. */
const farthestRoll = 14

const isNear = (a: LocalDate, b: LocalDate): boolean => Math.abs(daysBetween(a, b)) <= farthestRoll

const isRead = (expression: string): boolean => {
  try {
    parseExpression(expression)
    return true
  } catch {
    return false
  }
}

/** The ends of a leg's periods before any roll; none when its dates make no sense, which has a rule of its own. */
const unrolledEnds = (leg: Leg): readonly LocalDate[] => {
  try {
    const { effective: from, termination: until, frequency, endOfMonth, stub } = leg
    return periodsBetween({ from, until, frequency, endOfMonth, stub, calendar: [], roll: 'none' }).map(({ to }) => to)
  } catch {
    return []
  }
}

const legRules = (leg: Leg, name: string): readonly Rule[] => [
  rule(`the notional of the ${name} leg is more than nothing`, leg.notional.minor > 0),
  rule(`the effective date of the ${name} leg is before its termination date`, leg.effective < leg.termination),
  rule(`the payment delay of the ${name} leg is not negative`, leg.paymentDelay.days >= 0),
]

/** The periods of a leg fit its terms and one another. */
const scheduleRules = (
  swap: SwapData,
  leg: Leg,
  rows: readonly (FixedPeriod | FloatingPeriod)[],
  name: string,
): readonly Rule[] => {
  const ends = unrolledEnds(leg)
  const isReckoned = ({ from, to, days, factor }: FixedPeriod | FloatingPeriod): boolean => {
    const expected = accrued(leg.dayCount, from, to)
    return days === expected.days && factor === factorOf(swap.common.rounding, expected.fraction)
  }
  return [
    rule(`there are periods in the ${name} schedule`, rows.length > 0),
    rule(`the ${name} schedule begins on the effective date`, rows[0]?.from === leg.effective),
    rule(
      `the periods of the ${name} schedule follow one another`,
      rows.every(({ from, to }, index) => from < to && (index === 0 || rows[index - 1]?.to === from)),
    ),
    rule(
      `the periods of the ${name} schedule end where its frequency and its termination date have them end`,
      rows.length <= ends.length &&
        rows.every(({ to }) => ends.some((end) => isNear(to, end))) &&
        isNear(rows.at(-1)?.to ?? leg.effective, leg.termination),
    ),
    rule(
      `each period of the ${name} schedule is paid when its terms say`,
      rows.every(({ pays, from, to }) => {
        const late = daysBetween(leg.paymentRule === 'in-advance' ? from : to, pays)
        const business = leg.paymentDelay.counted === 'business' ? leg.paymentDelay.days : 0
        return Math.abs(late - leg.paymentDelay.days) <= farthestRoll + business
      }),
    ),
    rule(`the days and factors of the ${name} schedule are those of its day count`, rows.every(isReckoned)),
  ]
}

const fixedRules = ({ fixed, common, calculation }: SwapData): readonly Rule[] => [
  rule('the rate of the fixed leg is more than nothing', !fixed.rate.startsWith('-') && fixed.rate !== '0'),
  rule(
    'the flows of the fixed schedule are its notional at its rate',
    calculation.fixed.every(
      ({ flow, factor }) => flow === flowOf(fixed.notional.minor, fixed.rate, factor, common.rounding),
    ),
  ),
]

const floatingRules = ({ floating, calculation }: SwapData): readonly Rule[] => [
  rule('the fixing offset is not negative', floating.fixing.offset >= 0),
  rule('the tolerance of the fixing is not negative', floating.fixing.toleranceMs >= 0),
  rule(
    'no period of the floating schedule is fixed yet',
    calculation.floating.every(({ rate, flow }) => rate === null && flow === null),
  ),
  rule(
    'every period of the floating schedule is fixed before it is paid',
    calculation.floating.every(({ fixes, pays }) => fixes <= pays),
  ),
  rule(
    'the periods of the floating schedule are fixed in their order',
    calculation.floating.every(({ fixes }, index) => (calculation.floating[index - 1]?.fixes ?? fixes) <= fixes),
  ),
]

const tradeRules = (swap: SwapData): readonly Rule[] => {
  const { fixed, floating, common, calculation } = swap
  return [
    rule('the trade has an id', common.tradeId !== ''),
    rule('the two legs are paid by different parties', fixed.payer.key !== floating.payer.key),
    rule(
      'the oracle is neither of the two banks',
      swap.oracle.key !== fixed.payer.key && swap.oracle.key !== floating.payer.key,
    ),
    ...legRules(fixed, 'fixed'),
    ...legRules(floating, 'floating'),
    rule('both notionals are of one currency', fixed.notional.currency === floating.notional.currency),
    rule('both notionals are the same', fixed.notional.minor === floating.notional.minor),
    rule('both legs become effective on the same date', fixed.effective === floating.effective),
    rule('both legs end on the same date', fixed.termination === floating.termination),
    rule('payments are overdue some time after they are due', common.payments.overdueAfterMs > 0),
    rule(
      'rounding is to between 0 and 30 places',
      common.rounding.factor.every(({ decimals }) => decimals >= 0 && decimals <= 30),
    ),
    rule(
      'the expressions can be read',
      isRead(calculation.expression) && isRead(common.creditSupport.dailyInterestAmount),
    ),
    rule('nothing is paid or overdue yet', calculation.paid.length === 0 && calculation.overdue.length === 0),
  ]
}

export const agreeRules = (of: Case): readonly Rule[] => {
  const [swap] = of.after
  const shape = rule(
    'an agreement consumes no state of the trade and produces one',
    of.before.length === 0 && of.after.length === 1,
  )
  const window = rule('an agreement has a time window that ends', of.timeWindow?.until !== undefined)
  if (swap === undefined) return [shape, window]
  const basic = tradeRules(swap)
  const { fixed, floating } = swap.calculation
  return [
    shape,
    window,
    ...signedBy(of, [swap.fixed.payer, swap.floating.payer]),
    ...basic,
    ...scheduleRules(swap, swap.fixed, fixed, 'fixed'),
    ...scheduleRules(swap, swap.floating, floating, 'floating'),
    ...fixedRules(swap),
    ...floatingRules(swap),
  ]
}
