/**
 * The fixings of a swap as a chart of plain text: one column for each period, higher for a higher rate.
 */
import { Exact, showPercent, type Rate } from '../money/Rate.js'
import type { SwapData } from '../swap/SwapKind.js'

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
