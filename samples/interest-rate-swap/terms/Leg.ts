/**
 * The two legs of a swap: one bank pays a fixed rate on the notional, the other pays whatever an index says. Every
 * field has an effect; what could be read off another field is not asked for.
 */
import { IntegerC, PartyC } from 'carillon'
import { BusinessCalendarC, FrequencyC, LocalDateC, RollC, StubC, TenorC, TimeOfDayC, ZoneC } from 'carillon/calendars'
import * as t from 'io-ts'
import { AmountC } from '../money/Amount.js'
import { DayCountC } from '../money/DayCount.js'
import { RateC } from '../money/Rate.js'

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

export const FixedLegC = t.readonly(t.strict({ ...legFields, rate: RateC }), 'FixedLeg')
export type FixedLeg = t.TypeOf<typeof FixedLegC>

/** An index that somebody publishes for a tenor, such as ICE LIBOR for three months. */
export const IndexC = t.readonly(t.strict({ name: t.string, source: t.string, tenor: TenorC }), 'Index')
export type Index = t.TypeOf<typeof IndexC>

/** When the rate of a period is fixed, and how. */
export const FixingTermsC = t.readonly(
  t.strict({
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
  }),
  'FixingTerms',
)
export type FixingTerms = t.TypeOf<typeof FixingTermsC>

export const FloatingLegC = t.readonly(t.strict({ ...legFields, index: IndexC, fixing: FixingTermsC }), 'FloatingLeg')
export type FloatingLeg = t.TypeOf<typeof FloatingLegC>

/** What the legs have in common. */
export type Leg = Omit<FixedLeg, 'rate'>
