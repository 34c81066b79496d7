/**
 * The terms that concern both legs: who the trade is, how it rounds and pays, the collateral that backs it, and to
 * whom it is reported.
 */
import { IntegerC, PartyC } from 'carillon'
import { BusinessCalendarC, TimeOfDayC, ZoneC } from 'carillon/calendars'
import * as t from 'io-ts'
import { AmountC, CurrencyC } from '../money/Amount.js'
import { RateC } from '../money/Rate.js'
import { RoundingC } from '../money/Rounding.js'
import { IndexC } from './Leg.js'

/** The credit support annex: what is put up for whom, and when. It is recorded and carried along unchanged. */
export const CreditSupportC = t.readonly(
  t.strict({
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
  }),
  'CreditSupport',
)

export const CommonC = t.readonly(
  t.strict({
    tradeId: t.string,
    rounding: RoundingC,
    /** The time of day at which payments are due, and how long after that they are overdue. */
    payments: t.readonly(t.strict({ time: TimeOfDayC, zone: ZoneC, overdueAfterMs: IntegerC })),
    creditSupport: CreditSupportC,
    /** The hash of the documents behind the trade, in whatever form the two keep them. */
    legalDocuments: t.string,
    /** Parties that are told of everything, and take part in nothing. */
    regulators: t.readonlyArray(PartyC),
  }),
  'Common',
)
export type Common = t.TypeOf<typeof CommonC>

export type CreditSupport = t.TypeOf<typeof CreditSupportC>
