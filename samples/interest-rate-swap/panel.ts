/**
 * Swaps on the dashboard: each trade with its fixings and cash flows, what is done and what comes next. It reads the
 * state alone, so both banks and the regulator see the same.
 */
import type { Node } from 'carillon'
import type { LocalDate } from 'carillon/calendars'
import { definePanel, type Block, type Cell, type Panel, type Tone } from 'carillon/http'
import { table } from '../shared/panel.js'
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

type Settled = SwapData['calculation']['paid'][number] | undefined

const lampOf = (swap: SwapData, date: LocalDate, settled: Settled): Cell => {
  if (settled !== undefined) return { lamp: 'green', text: 'paid' }
  if (overdueOn(swap, date) !== undefined) return { lamp: 'red', text: 'overdue' }
  return paymentOn(swap, date) === undefined ? { lamp: 'grey', text: 'not fixed' } : { lamp: 'blue', text: 'due' }
}

const rowFor = (swap: SwapData, date: LocalDate) => {
  const { fixed, floating, paid } = swap.calculation
  const show = (minor: number): string => showMinor(swap.fixed.notional.currency, minor)
  const periods = floating.filter(({ pays }) => pays === date)
  const fixedFlows = fixed.filter(({ pays }) => pays === date)
  const settled = paid.find((entry) => entry.date === date)
  const known = paymentOn(swap, date)
  const net = settled?.net ?? known?.net
  return {
    key: date,
    cells: {
      date,
      fixes: periods.map(({ fixes }) => fixes).join(', '),
      rate: periods.map(({ rate }) => (rate === null ? '…' : showPercent(rate))).join(', '),
      floating: periods.some(({ flow }) => flow !== null)
        ? show(periods.reduce((sum, { flow }) => sum + (flow ?? 0), 0))
        : '',
      fixed: fixedFlows.length === 0 ? '' : show(fixedFlows.reduce((sum, { flow }) => sum + flow, 0)),
      net: net === undefined ? '' : show(Math.abs(net)),
      payer: net === undefined ? '' : net < 0 ? swap.floating.payer.name : swap.fixed.payer.name,
      is: lampOf(swap, date, settled),
    },
  }
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
  const balance = paid.reduce((sum, { net }) => sum + net, 0)
  return {
    kind: 'facts',
    facts: [
      { label: `Next: ${eventWords[next.kind]}`, value: { instant: next.at } },
      { label: 'Fixed', value: `${floating.filter(({ rate }) => rate !== null).length} of ${floating.length}` },
      { label: 'Paid', value: `${paid.length} of ${paymentDates(swap).length}` },
      {
        label: `Net paid by ${balance < 0 ? swap.floating.payer.name : swap.fixed.payer.name}`,
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
