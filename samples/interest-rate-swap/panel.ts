/**
 * Swaps on the dashboard: each trade with its fixings and cash flows, what is done and what comes next. It reads the
 * state alone, so both banks and the regulator see the same.
 */
import type { Node } from 'carillon'
import type { LocalDate } from 'carillon/calendars'
import { definePanel, type Block, type Panel, type Tone } from 'carillon/http'
import { table } from '../shared/panel.js'
import { cashFlowOn, payerOf, sum, type CashFlow } from './cashFlows.js'
import { showAmount, showMinor, showPercent } from './money.js'
import {
  fixingInstant,
  nextEvent,
  nextUnfixed,
  overdueOn,
  paymentDates,
  paymentInstant,
  paymentOn,
  type SwapEvent,
} from './swap/events.js'
import { Swap } from './swap/Swap.js'
import type { SwapData } from './swap/SwapKind.js'

/** Trades shown at one time; the vault has them all. */
const tradesShown = 6
/** Of the payments that are over, so many stay in sight. */
const paidShown = 6
/** Of those to come, so many. */
const dueShown = 14

const eventWords: Readonly<Record<SwapEvent['kind'], string>> = {
  fixing: 'a fixing',
  payment: 'a payment',
  overdue: 'a payment that is overdue',
  maturity: 'maturity',
}

const tones: Readonly<Record<CashFlow['is'], Tone>> = {
  paid: 'green',
  overdue: 'red',
  due: 'blue',
  'not fixed': 'grey',
}

const rowFor = (swap: SwapData, date: LocalDate) => {
  const flow = cashFlowOn(swap, date)
  return { key: date, cells: { ...flow, is: { lamp: tones[flow.is], text: flow.is } } }
}

/** The dates around the next payment: a trade of ten years has more than a page should hold. */
const datesInSight = (swap: SwapData): readonly LocalDate[] => {
  const dates = paymentDates(swap)
  const done = new Set(swap.calculation.paid.map(({ date }) => date))
  const next = dates.findIndex((date) => !done.has(date))
  const from = Math.max(0, (next < 0 ? dates.length : next) - paidShown)
  return dates.slice(from, from + paidShown + dueShown)
}

const timelineOf = (swap: SwapData): Block => {
  const { floating, paid } = swap.calculation
  const upcoming = nextUnfixed(swap)
  const done = new Map(paid.map(({ date, net }) => [date, net]))
  const tone = (isDone: boolean, isNext: boolean): Tone => (isDone ? 'green' : isNext ? 'blue' : 'grey')
  return {
    kind: 'timeline',
    items: [
      ...floating.map((period) => ({
        lane: 'Fixings',
        at: fixingInstant(swap, period),
        tone: tone(period.rate !== null, period === upcoming),
        text: period.rate === null ? 'not fixed yet' : `fixed at ${showPercent(period.rate)}`,
      })),
      ...paymentDates(swap).map((date) => ({
        lane: 'Payments',
        at: paymentInstant(swap, date),
        tone: overdueOn(swap, date) === undefined ? tone(done.has(date), paymentOn(swap, date) !== undefined) : 'red',
        text: done.has(date)
          ? `${showMinor(swap.fixed.notional.currency, Math.abs(done.get(date) ?? 0))} paid`
          : 'not paid yet',
      })),
    ],
    empty: 'Nothing is scheduled.',
    title: `${swap.common.tradeId}: ${swap.fixed.payer.name} pays ${showPercent(swap.fixed.rate)}, ${swap.floating.payer.name} pays ${swap.floating.index.name} ${swap.floating.index.tenor}, on ${showAmount(swap.fixed.notional)}`,
  }
}

const tableOf = (swap: SwapData): Block =>
  table(
    {
      ...{ date: 'Pays', fixes: 'Fixed on', rate: 'Rate', floating: 'Floating', fixed: 'Fixed', net: 'Net' },
      ...{ payer: 'Paid by', is: 'Is' },
    },
    {
      title: `Cash flows of ${swap.common.tradeId}`,
      right: ['rate', 'floating', 'fixed', 'net'],
      rows: datesInSight(swap).map((date) => rowFor(swap, date)),
      empty: 'Nothing is paid.',
    },
  )

const factsOf = (swap: SwapData): Block => {
  const { floating, paid } = swap.calculation
  const next = nextEvent(swap)
  const balance = sum(paid.map(({ net }) => net))
  return {
    kind: 'facts',
    facts: [
      { label: `Next: ${eventWords[next.kind]}`, value: { instant: next.at } },
      { label: 'Fixed', value: `${floating.filter(({ rate }) => rate !== null).length} of ${floating.length}` },
      { label: 'Paid', value: `${paid.length} of ${paymentDates(swap).length}` },
      {
        label: `Net paid by ${payerOf(swap, balance)}`,
        value: showMinor(swap.fixed.notional.currency, Math.abs(balance)),
      },
    ],
  }
}

/** The open trades of a node, in the order in which they were agreed or last moved. */
export const openSwaps = async (node: Node): Promise<readonly SwapData[]> =>
  (await node.states(Swap, { includeIrrelevant: true, limit: 1_000 }))
    .map(({ data }) => data)
    .sort((a, b) => (a.common.tradeId < b.common.tradeId ? -1 : 1))

export const swapsPanel: Panel = definePanel({
  name: 'swaps',
  title: 'Swaps',
  summary: 'Fixings and cash flows of every open trade.',
  read: async (node) => {
    const swaps = await openSwaps(node)
    if (swaps.length === 0)
      return [table({}, { rows: [], empty: 'No trade is open. Start one with the flow swap/Offer.' })]
    const shown = swaps.slice(0, tradesShown)
    const more: readonly Block[] =
      shown.length === swaps.length ? [] : [{ kind: 'facts', facts: [{ label: 'Open trades', value: swaps.length }] }]
    return [...more, ...shown.flatMap((swap) => [timelineOf(swap), factsOf(swap), tableOf(swap)])]
  },
})
