/**
 * Everything two banks agree on: the two legs, of which one pays a fixed rate on the notional and the other
 * whatever an index says, and the terms that concern both. Every field has an effect; what could be read off
 * another field is not asked for, and what follows from the terms, the schedules, is not part of them.
 */
import * as t from 'io-ts'
import { IntegerC, PartyC } from 'carillon'
import { BusinessCalendarC, FrequencyC, LocalDateC, RollC, StubC, TenorC, TimeOfDayC, ZoneC } from 'carillon/calendars'
import { record } from '../../shared/record.js'
import { AmountC, CurrencyC, DayCountC, RateC, RoundingC } from '../money.js'

/** At the beginning of a period or at its end. */
export const InAdvanceC = t.keyof({ 'in-advance': null, 'in-arrears': null }, 'InAdvance')

const legFields = {
  payer: PartyC,
  notional: AmountC,
  effective: LocalDateC,
  termination: LocalDateC,
  frequency: FrequencyC,
  /** The calendar and the convention by which the ends of periods become business days. */
  calendar: BusinessCalendarC,
  roll: RollC,
  /** When the effective date is the last of its month, all periods end with a month. */
  endOfMonth: t.boolean,
  stub: StubC,
  dayCount: DayCountC,
  /** Whether interest runs until the rolled date (`adjusted`) or until the date before it was rolled. */
  accrual: t.keyof({ adjusted: null, unadjusted: null }),
  paymentRule: InAdvanceC,
  /** Payment follows so many days after; it is not rolled again. */
  paymentDelay: t.readonly(t.strict({ days: IntegerC, counted: t.keyof({ calendar: null, business: null }) })),
}

export const FixedLegC = record('FixedLeg', { ...legFields, rate: RateC })
export type FixedLeg = t.TypeOf<typeof FixedLegC>

/** An index that somebody publishes for a tenor, such as ICE LIBOR for three months. */
export const IndexC = record('Index', { name: t.string, source: t.string, tenor: TenorC })
export type Index = t.TypeOf<typeof IndexC>

/** When the rate of a period is fixed, and how. */
export const FixingTermsC = record('FixingTerms', {
  rule: InAdvanceC,
  /** So many business days of `calendar` before the period begins, or ends. */
  offset: IntegerC,
  calendar: BusinessCalendarC,
  /** What becomes of a fixing date that is no business day; it matters only when the offset is zero. */
  roll: RollC,
  time: TimeOfDayC,
  zone: ZoneC,
  /** How long the fixing waits for the rate to be announced before it gives up. */
  toleranceMs: IntegerC,
  /** Fixings that are further than `within` from `rate` are not believed. */
  plausible: t.union([t.null, t.readonly(t.strict({ rate: RateC, within: RateC }))]),
})
export type FixingTerms = t.TypeOf<typeof FixingTermsC>

export const FloatingLegC = record('FloatingLeg', { ...legFields, index: IndexC, fixing: FixingTermsC })
export type FloatingLeg = t.TypeOf<typeof FloatingLegC>

/** What the legs have in common. */
export type Leg = Omit<FixedLeg, 'rate'>

/** The credit support annex: what is put up for whom, and when. It is recorded and carried along unchanged. */
export const CreditSupportC = record('CreditSupport', {
  baseCurrency: CurrencyC,
  eligibleCurrency: CurrencyC,
  eligibleCreditSupport: t.string,
  independentAmount: AmountC,
  threshold: AmountC,
  minimumTransferAmount: AmountC,
  rounding: AmountC,
  valuationDate: t.string,
  notificationTime: t.string,
  resolutionTime: t.string,
  /** The rate that cash collateral earns: an index plus a spread. */
  interest: t.readonly(t.strict({ index: IndexC, spread: RateC })),
  addressForTransfers: t.string,
  localBusinessDays: BusinessCalendarC,
  /** What cash collateral earns in a day, as an expression over the trade. */
  dailyInterestAmount: t.string,
})

export const CommonC = record('Common', {
  tradeId: t.string,
  rounding: RoundingC,
  /** The time of day at which payments are due, and how long after that they are overdue. */
  payments: t.readonly(t.strict({ time: TimeOfDayC, zone: ZoneC, overdueAfterMs: IntegerC })),
  creditSupport: CreditSupportC,
  /** The hash of the documents behind the trade, in whatever form the two keep them. */
  legalDocuments: t.string,
  /** Parties that are told of everything, and take part in nothing. */
  regulators: t.readonlyArray(PartyC),
})
export type Common = t.TypeOf<typeof CommonC>

export type CreditSupport = t.TypeOf<typeof CreditSupportC>

export const termFields = { fixed: FixedLegC, floating: FloatingLegC, common: CommonC, oracle: PartyC }

export const TermsC = record('Terms', termFields)
export type Terms = t.TypeOf<typeof TermsC>
