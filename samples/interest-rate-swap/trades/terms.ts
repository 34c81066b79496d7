/**
 * Terms as most trades have them, to be changed where a trade differs.
 */
import type { Party } from 'carillon'
import { localDate, tenor, timeOfDay, zone } from 'carillon/calendars'
import { amount, currency, type Amount } from '../money/Amount.js'
import { rate } from '../money/Rate.js'
import { twiceRounded } from '../money/Rounding.js'
import type { Common, CreditSupport } from '../terms/Common.js'
import type { FloatingLeg, Leg } from '../terms/Leg.js'

/** Whom a trade concerns. */
export type Parties = {
  readonly fixedPayer: Party
  readonly floatingPayer: Party
  readonly oracle: Party
  readonly regulators: readonly Party[]
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs

export const london = zone('Europe/London')

/** What the legs of the usual trade have in common. */
export const usualLeg = (
  payer: Party,
  notional: Amount,
  effective: string,
  termination: string,
): Omit<Leg, 'frequency' | 'calendar'> => ({
  payer,
  notional,
  effective: localDate(effective),
  termination: localDate(termination),
  roll: 'modified-following',
  endOfMonth: false,
  stub: 'short-last',
  dayCount: '30/360 US',
  accrual: 'adjusted',
  paymentRule: 'in-arrears',
  paymentDelay: { days: 0, counted: 'calendar' },
})

/** Fixed two business days before the period at a quarter to twelve in London, with two hours for the rate to come. */
export const usualFixing = (calendar: FloatingLeg['fixing']['calendar']): FloatingLeg['fixing'] => ({
  rule: 'in-advance',
  offset: 2,
  calendar,
  roll: 'none',
  time: timeOfDay('11:45'),
  zone: london,
  toleranceMs: 2 * hourMs,
  plausible: { rate: rate('0'), within: rate('1') },
})

export const usualCreditSupport: CreditSupport = {
  baseCurrency: currency('EUR'),
  eligibleCurrency: currency('EUR'),
  eligibleCreditSupport: 'Cash in an eligible currency',
  independentAmount: amount('EUR', 0),
  threshold: amount('EUR', 0),
  minimumTransferAmount: amount('EUR', 250_000),
  rounding: amount('EUR', 10_000),
  valuationDate: 'Every local business day',
  notificationTime: '2:00pm London',
  resolutionTime: '2:00pm London, on the first local business day after the notice',
  interest: { index: { name: 'EONIA', source: 'EONIA', tenor: tenor('6M') }, spread: rate('0') },
  addressForTransfers: '',
  localBusinessDays: ['London', 'NewYork'],
  dailyInterestAmount: "collateral.minor * collateral.spread / (collateral.currency == 'GBP' ? 365 : 360)",
}

/** The terms that concern both legs; payments are due at four in London, and overdue a day later. */
export const usualCommon = (tradeId: string, regulators: readonly Party[]): Common => ({
  tradeId,
  rounding: twiceRounded,
  payments: { time: timeOfDay('16:00'), zone: london, overdueAfterMs: 24 * hourMs },
  creditSupport: usualCreditSupport,
  legalDocuments: '',
  regulators,
})
