/**
 * Two more trades, with payments days after the period, calendars of two centres or of none, and another day count.
 */
import { tenor } from 'carillon/calendars'
import { amount, percent } from '../money.js'
import type { Terms } from '../terms/Terms.js'
import { usualTrade, type Parties } from '../trades.js'

/** 15.9 million dollars at 1.677 %; payments follow three days after the period, whatever day that is. */
export const delayedTrade = (parties: Parties): Terms => {
  const { fixed, floating, ...terms } = usualTrade(parties, {
    ...{ tradeId: 'delayed', notional: amount('USD', 15_900_000), from: '2016-03-10', until: '2026-03-10' },
    rate: percent('1.677'),
    index: { name: 'LIBOR', source: 'TEL3750', tenor: tenor('3M') },
    calendars: [['London', 'NewYork'], ['London']],
  })
  const paymentDelay = { days: 3, counted: 'calendar' } as const
  return { ...terms, fixed: { ...fixed, paymentDelay }, floating: { ...floating, paymentDelay } }
}

/** 25 million dollars at 1.3 %, weekends the only holidays, and the floating leg by actual days. */
export const actualDaysTrade = (parties: Parties): Terms => {
  const { floating, ...terms } = usualTrade(parties, {
    ...{ tradeId: 'actual-days', notional: amount('USD', 25_000_000), from: '2015-03-10', until: '2025-03-10' },
    rate: percent('1.3'),
    index: { name: 'USD LIBOR', source: 'TEL3750', tenor: tenor('3M') },
    calendars: [[], []],
  })
  return { ...terms, floating: { ...floating, dayCount: 'Act/360' } }
}
