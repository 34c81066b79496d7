/**
 * Terms as most trades have them, the trade that the sample runs, twenty-five million euros for ten years at 1.676
 * % against three-month LIBOR and the rates that its oracle announces.
 */
import type { Party } from 'carillon'
import { localDate, tenor, timeOfDay, zone, type BusinessCalendar, type Frequency } from 'carillon/calendars'
import { amount, currency, Exact, rate, twiceRounded, type Amount, type Rate } from './money.js'
import type { Fix } from './oracle/Fix.js'
import type { Common, CreditSupport, FixingTerms, Index, Terms } from './terms/Terms.js'

/** Whom a trade concerns. */
export type Parties = {
  readonly fixedPayer: Party
  readonly floatingPayer: Party
  readonly oracle: Party
  readonly regulators: readonly Party[]
}

const hourMs = 3_600_000

const london = zone('Europe/London')

/** Fixed two business days before the period at a quarter to twelve in London, with two hours for the rate to come. */
export const usualFixing = (calendar: BusinessCalendar): FixingTerms => ({
  rule: 'in-advance',
  offset: 2,
  calendar,
  roll: 'none',
  time: timeOfDay('11:45'),
  zone: london,
  toleranceMs: 2 * hourMs,
  plausible: { rate: rate('0'), within: rate('1') },
})

const usualCreditSupport: CreditSupport = {
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

/** What tells one trade from another, where all else is as usual. */
export type TradeOptions = {
  readonly tradeId: string
  readonly notional: Amount
  readonly from: string
  readonly until: string
  readonly rate: Rate
  readonly index: Index
  /** The calendars of the fixed and the floating leg; by the latter rates are fixed, too. */
  readonly calendars: readonly [BusinessCalendar, BusinessCalendar]
  /** How often each leg is paid. Default twice and four times a year. */
  readonly frequencies?: readonly [Frequency, Frequency]
}

export const usualTrade = (
  { fixedPayer, floatingPayer, oracle, regulators }: Parties,
  {
    tradeId,
    notional,
    from,
    until,
    rate,
    index,
    calendars: [calendar, fixingCalendar],
    frequencies: [frequency, fixingFrequency] = ['semi-annual', 'quarterly'],
  }: TradeOptions,
): Terms => {
  const leg = {
    ...{ notional, effective: localDate(from), termination: localDate(until) },
    roll: 'modified-following',
    endOfMonth: false,
    stub: 'short-last',
    dayCount: '30/360 US',
    accrual: 'adjusted',
    paymentRule: 'in-arrears',
    paymentDelay: { days: 0, counted: 'calendar' },
  } as const
  return {
    fixed: { ...leg, payer: fixedPayer, frequency, calendar, rate },
    floating: {
      ...{ ...leg, payer: floatingPayer, frequency: fixingFrequency, calendar: fixingCalendar },
      ...{ index, fixing: usualFixing(fixingCalendar) },
    },
    common: usualCommon(tradeId, regulators),
    oracle,
  }
}

export const exampleEnds = '2026-03-11'

/** The example, with an earlier end for whoever has not got ten years. */
export const exampleTrade = (parties: Parties, until: string = exampleEnds): Terms =>
  usualTrade(parties, {
    tradeId: 'example',
    notional: amount('EUR', 25_000_000),
    from: '2016-03-11',
    until,
    rate: rate('0.01676'),
    index: { name: 'ICE LIBOR', source: 'Rates Service Provider', tenor: tenor('3M') },
    // The floating leg goes by the calendar of its fixings, the fixed leg by that of its payments.
    calendars: [['London'], ['NewYork']],
  })

const first = new Exact('0.0063516')
const step = new Exact('0.0000001')

const days = Array.from({ length: 11 }, (_, index) => 2016 + index)
  .flatMap((year) => ['03', '06', '09', '12'].map((month) => `${year}-${month}`))
  .flatMap((month) => ['06', '07', '08', '09', '10'].map((day) => `${month}-${day}`))
  .filter((day) => day !== '2016-03-06')

/**
 * Three-month ICE LIBOR around the days on which quarters begin, a little higher each time. They are made up; what
 * matters is that every fixing of the example trade finds one.
 */
export const exampleRates: readonly Fix[] = days.map((day, line) => ({
  of: { index: 'ICE LIBOR', day: localDate(day), tenor: tenor('3M') },
  rate: rate(first.plus(step.times(line))),
}))
