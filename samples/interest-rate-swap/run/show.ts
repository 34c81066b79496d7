/**
 * A swap in plain text: how far it has come, drawn over itself on a terminal and not at all elsewhere; its cash
 * flows as a table; and its fixings as a chart, one column for each period.
 */
import { millisBetween, type Instant } from 'carillon'
import { Exact, showMinor, showPercent, type Rate } from '../money.js'
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

const eighths = ['', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const
const rowsHigh = 6

/** A column of so many rows, top first, filled from the bottom to an eighth of a row. */
const column = (fill: number): readonly string[] =>
  Array.from({ length: rowsHigh }, (_, fromTop) => {
    const below = (rowsHigh - 1 - fromTop) * 8
    return eighths[Math.max(0, Math.min(8, Math.round(fill * rowsHigh * 8) - below))] ?? ''
  })

export const fixingsChart = (swap: SwapData): readonly string[] => {
  const periods = swap.calculation.floating
  const rates = periods.flatMap(({ rate }) => (rate === null ? [] : [rate]))
  const [first] = rates
  if (first === undefined) return ['Nothing is fixed yet.']
  const number = (value: Rate): number => new Exact(value).toNumber()
  const lowest = rates.reduce((a, b) => (number(b) < number(a) ? b : a), first)
  const highest = rates.reduce((a, b) => (number(b) > number(a) ? b : a), first)
  const span = number(highest) - number(lowest)
  const columns = periods.map(({ rate }) =>
    rate === null ? column(0) : column(span === 0 ? 0.5 : 0.1 + (0.9 * (number(rate) - number(lowest))) / span),
  )
  const labels = Array.from({ length: rowsHigh }, (_, row) =>
    row === 0 ? showPercent(highest) : row === rowsHigh - 1 ? showPercent(lowest) : '',
  )
  const width = Math.max(...labels.map((label) => label.length))
  const bars = labels.map((label, row) =>
    `${label.padStart(width)} │${columns.map((cells) => cells[row]?.padEnd(1) ?? ' ').join('')}`.trimEnd(),
  )
  const years = periods.map(({ fixes }) => fixes.slice(0, 4))
  let axis = ''
  years.forEach((year, index) => {
    if (year !== years[index - 1] && axis.length <= index) axis = `${axis.padEnd(index)}${year.slice(2)}`
  })
  return [...bars, `${' '.repeat(width)} └${'─'.repeat(periods.length)}`, `${' '.repeat(width)}  ${axis}`.trimEnd()]
}
