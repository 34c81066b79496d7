/**
 * The cash flows of a swap as a table of plain text.
 */
import type { SwapData } from '../swap/SwapKind.js'
import { paymentDates } from '../schedule/payments.js'
import { showMinor } from '../money/Amount.js'
import { showPercent } from '../money/Rate.js'

type Align = 'left' | 'right'

const columns: readonly (readonly [heading: string, Align])[] = [
  ['pays', 'left'],
  ['fixed at', 'left'],
  ['rate', 'right'],
  ['floating', 'right'],
  ['fixed', 'right'],
  ['net', 'right'],
  ['paid by', 'left'],
  ['', 'left'],
]

const pad = (text: string, width: number, align: Align): string =>
  align === 'left' ? text.padEnd(width) : text.padStart(width)

const layOut = (rows: readonly (readonly string[])[]): readonly string[] => {
  const widths = columns.map(([heading], at) => Math.max(heading.length, ...rows.map((row) => row[at]?.length ?? 0)))
  const line = (row: readonly string[]): string =>
    row
      .map((text, at) => pad(text, widths[at] ?? 0, columns[at]?.[1] ?? 'left'))
      .join('  ')
      .trimEnd()
  return [
    line(columns.map(([heading]) => heading)),
    widths.map((width) => '─'.repeat(width)).join('──'),
    ...rows.map(line),
  ]
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

/** One line for each payment date, and the sums. */
export const cashFlowTable = (swap: SwapData): readonly string[] => {
  const { fixed, floating, paid } = swap.calculation
  const show = (minor: number | undefined): string =>
    minor === undefined ? '' : showMinor(swap.fixed.notional.currency, minor)
  const rows = paymentDates(swap).map((date) => {
    const fixedFlows = fixed.filter(({ pays }) => pays === date).map(({ flow }) => flow)
    const periods = floating.filter(({ pays }) => pays === date)
    const flows = periods.flatMap(({ flow }) => (flow === null ? [] : [flow]))
    const settled = paid.find((entry) => entry.date === date)
    const payer = settled === undefined ? '' : settled.net < 0 ? swap.floating.payer.name : swap.fixed.payer.name
    return [
      date,
      periods.map(({ fixes }) => fixes).join(' '),
      periods.map(({ rate }) => (rate === null ? 'not fixed' : showPercent(rate))).join(' '),
      periods.length === 0 ? '' : show(sum(flows)),
      fixedFlows.length === 0 ? '' : show(sum(fixedFlows)),
      show(settled === undefined ? undefined : Math.abs(settled.net)),
      payer,
      settled === undefined ? 'due' : 'paid',
    ]
  })
  const total = [
    'sum',
    '',
    '',
    show(sum(floating.map(({ flow }) => flow ?? 0))),
    show(sum(fixed.map(({ flow }) => flow))),
    show(Math.abs(sum(paid.map(({ net }) => net)))),
    sum(paid.map(({ net }) => net)) < 0 ? swap.floating.payer.name : swap.fixed.payer.name,
    '',
  ]
  return layOut([...rows, total])
}
