/**
 * Two more trades, with payments days after the period, calendars of two centres or of none, and another day count.
 */
import { tenor } from 'carillon/calendars'
import { amount, percent } from '../money.js'
import type { Terms } from '../terms/Terms.js'
import { usualCommon, usualFixing, usualLeg, type Parties } from '../trades.js'

/** 15.9 million dollars at 1.677 %; payments follow three days after the period, whatever day that is. */
export const delayedTrade = ({ fixedPayer, floatingPayer, oracle, regulators }: Parties): Terms => {
  const leg = (payer: Parties['fixedPayer']) => ({
    ...usualLeg(payer, amount('USD', 15_900_000), '2016-03-10', '2026-03-10'),
    paymentDelay: { days: 3, counted: 'calendar' } as const,
  })
  return {
    fixed: { ...leg(fixedPayer), frequency: 'semi-annual', calendar: ['London', 'NewYork'], rate: percent('1.677') },
    floating: {
      ...leg(floatingPayer),
      frequency: 'quarterly',
      calendar: ['London'],
      index: { name: 'LIBOR', source: 'TEL3750', tenor: tenor('3M') },
      fixing: usualFixing(['London']),
    },
    common: usualCommon('delayed', regulators),
    oracle,
  }
}

/** 25 million dollars at 1.3 %, weekends the only holidays, and the floating leg by actual days. */
export const actualDaysTrade = ({ fixedPayer, floatingPayer, oracle, regulators }: Parties): Terms => {
  const leg = (payer: Parties['fixedPayer']) => usualLeg(payer, amount('USD', 25_000_000), '2015-03-10', '2025-03-10')
  return {
    fixed: { ...leg(fixedPayer), frequency: 'semi-annual', calendar: [], rate: percent('1.3') },
    floating: {
      ...leg(floatingPayer),
      frequency: 'quarterly',
      calendar: [],
      dayCount: 'Act/360',
      index: { name: 'USD LIBOR', source: 'TEL3750', tenor: tenor('3M') },
      fixing: usualFixing([]),
    },
    common: usualCommon('actual-days', regulators),
    oracle,
  }
}
