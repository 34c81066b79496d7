/**
 * The trades of the demo: short ones, so that there is something to see, and one after another for ever. Terms, dates
 * and rates follow from the day on which a trade begins.
 */
import type { Instant } from 'carillon'
import { addDays, addMonths, localDate, tenor, type Frequency, type LocalDate } from 'carillon/calendars'
import { amount, Exact, percent, rate } from '../interest-rate-swap/money.js'
import type { Fix } from '../interest-rate-swap/oracle/Fix.js'
import { generate } from '../interest-rate-swap/schedule.js'
import type { Terms } from '../interest-rate-swap/terms/Terms.js'
import { usualTrade, type Parties } from '../interest-rate-swap/trades.js'

/** A kind of trade: the banks keep one of each open. */
export type Line = {
  readonly name: string
  readonly millions: number
  readonly percent: string
  readonly months: number
  readonly floating: Frequency
  readonly fixed: Frequency
  readonly index: string
}

export const lines: readonly Line[] = [
  {
    name: 'weekly',
    millions: 25,
    percent: '1.676',
    months: 6,
    floating: 'weekly',
    fixed: 'monthly',
    index: '1W',
  },
  {
    name: 'monthly',
    millions: 40,
    percent: '0.81',
    months: 24,
    floating: 'monthly',
    fixed: 'quarterly',
    index: '1M',
  },
]

export const dateOf = (now: Instant): LocalDate => localDate(now.slice(0, 10))

/** The two business days between the fixing and the first period lie before the trade begins. */
const daysAhead = 5

export const termsFor = (line: Line, parties: Parties, now: Instant): Terms => {
  const from = addDays(dateOf(now), daysAhead)
  return usualTrade(parties, {
    tradeId: `${line.name} ${from}`,
    notional: amount('EUR', line.millions * 1_000_000),
    ...{ from, until: addMonths(from, line.months) },
    rate: percent(line.percent),
    index: { name: 'ICE LIBOR', source: 'Rates Service Provider', tenor: tenor(line.index) },
    calendars: [['London'], ['London']],
    frequencies: [line.fixed, line.floating],
  })
}

/** Made up, but the same whenever it is asked for: a slow wave around one per cent. */
const rateOn = (day: LocalDate) => {
  const days = Math.floor(Date.parse(day) / 86_400_000)
  return rate(new Exact(Math.round(1_000_000 + 450_000 * Math.sin(days / 40) + 30_000 * Math.sin(days * 2.3))).div(1e8))
}

/** The rates that the fixings of a trade will ask for. */
export const ratesFor = (terms: Terms): readonly Fix[] =>
  generate(terms).floating.map(({ fixes }) => ({
    of: { index: terms.floating.index.name, day: fixes, tenor: terms.floating.index.tenor },
    rate: rateOn(fixes),
  }))
