/**
 * A swap in plain text: how far it has come, drawn over itself on a terminal and not at all elsewhere; and its cash
 * flows as a table.
 */
import { millisBetween, type Instant } from 'carillon'
import { cashFlowOn, payerOf, sum } from '../cashFlows.js'
import { showMinor } from '../money.js'
import type { SwapData } from '../swap/SwapKind.js'
import { paymentDates } from '../swap/events.js'

const width = 30

export const progressLine = (swap: SwapData, from: Instant, until: Instant, now: Instant): string => {
  const share = Math.min(1, Math.max(0, millisBetween(from, now) / millisBetween(from, until)))
  const done = Math.round(share * width)
  const { floating, paid } = swap.calculation
  const fixed = floating.filter(({ rate }) => rate !== null).length
  return `${now.slice(0, 10)} ${'█'.repeat(done)}${'░'.repeat(width - done)} ${fixed} of ${floating.length} fixed, ${paid.length} paid`
}

export class Progress {
  readonly #out: NodeJS.WriteStream
  #shown = false

  constructor(out: NodeJS.WriteStream) {
    this.#out = out
  }

  show(line: string): void {
    if (!this.#out.isTTY) return
    this.#out.write(`\r\u001b[2K${line.slice(0, this.#out.columns - 1)}`)
    this.#shown = true
  }

  end(): void {
    if (this.#shown) this.#out.write('\r\u001b[2K')
    this.#shown = false
  }
}

const headings = {
  ...{ date: 'pays', fixes: 'fixed at', rate: 'rate', floating: 'floating', fixed: 'fixed', net: 'net' },
  ...{ payer: 'paid by', is: '' },
} as const
const columns = Object.keys(headings) as readonly (keyof typeof headings)[]
const numbers: readonly string[] = ['rate', 'floating', 'fixed', 'net']

const layOut = (rows: readonly Readonly<Record<keyof typeof headings, string>>[]): readonly string[] => {
  const widths = columns.map((key) => Math.max(headings[key].length, ...rows.map((row) => row[key].length)))
  const line = (row: Readonly<Record<keyof typeof headings, string>>): string =>
    columns
      .map((key, at) => (numbers.includes(key) ? row[key].padStart(widths[at] ?? 0) : row[key].padEnd(widths[at] ?? 0)))
      .join('  ')
      .trimEnd()
  return [line(headings), widths.map((width) => '─'.repeat(width)).join('──'), ...rows.map(line)]
}

/** One line for each payment date, and the sums. */
export const cashFlowTable = (swap: SwapData): readonly string[] => {
  const { fixed, floating, paid } = swap.calculation
  const show = (flows: readonly number[]): string => showMinor(swap.fixed.notional.currency, sum(flows))
  const net = sum(paid.map((entry) => entry.net))
  return layOut([
    ...paymentDates(swap).map((date) => cashFlowOn(swap, date)),
    {
      ...{ date: 'sum', fixes: '', rate: '', is: '' },
      floating: show(floating.map(({ flow }) => flow ?? 0)),
      fixed: show(fixed.map(({ flow }) => flow)),
      net: show([Math.abs(net)]),
      payer: payerOf(swap, net),
    },
  ])
}
