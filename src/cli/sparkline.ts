/**
 * Numbers as a line of little bars, a column each, the largest as tall as the line. Nothing is shown for 0 but a dot, so
 * that "nothing" and "little" are told apart.
 */
const bars = '▁▂▃▄▅▆▇█'

export const sparkline = (values: readonly number[]): string => {
  const most = Math.max(0, ...values)
  return values
    .map((value) => {
      if (value <= 0) return '·'
      return bars[Math.min(bars.length - 1, Math.floor((value / most) * bars.length))] ?? '█'
    })
    .join('')
}
