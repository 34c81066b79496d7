/**
 * The trade that the sample runs: twenty-five million euros for ten years, 1.676 % against three-month LIBOR.
 */
import { localDate, tenor } from 'carillon/calendars'
import { amount } from '../money/Amount.js'
import { rate } from '../money/Rate.js'
import type { Terms } from '../terms/Terms.js'
import { usualCommon, usualFixing, usualLeg, type Parties } from './terms.js'

export const exampleTrade = ({ fixedPayer, floatingPayer, oracle, regulators }: Parties): Terms => {
  const leg = (payer: Parties['fixedPayer']) => usualLeg(payer, amount('EUR', 25_000_000), '2016-03-11', '2026-03-11')
  return {
    fixed: { ...leg(fixedPayer), frequency: 'semi-annual', calendar: ['London'], rate: rate('0.01676') },
    floating: {
      ...leg(floatingPayer),
      frequency: 'quarterly',
      // The floating leg goes by the calendar of its fixings, the fixed leg by that of its payments.
      calendar: ['NewYork'],
      index: { name: 'ICE LIBOR', source: 'Rates Service Provider', tenor: tenor('3M') },
      fixing: usualFixing(['NewYork']),
    },
    common: usualCommon('example', regulators),
    oracle,
  }
}

/** The same trade with an earlier end, for whoever has not got ten years. */
export const shortTrade = (parties: Parties, until: string): Terms => {
  const terms = exampleTrade(parties)
  const termination = localDate(until)
  return { ...terms, fixed: { ...terms.fixed, termination }, floating: { ...terms.floating, termination } }
}
