/**
 * A chart as SVG: one line for each series over sizes that grow tenfold, the value axis from nought. It stands alone, has
 * the value of each point as a tooltip, and follows the reader's light or dark.
 */
export type LineChart = {
  readonly title: string
  readonly of: string
  readonly unit: string
  readonly series: Readonly<Record<string, readonly { readonly size: number; readonly value: number }[]>>
}

const width = 640
const height = 320
const plot = { left: 64, right: 150, top: 46, bottom: 52 }

const style = `
    text { font: 13px system-ui, sans-serif; fill: #1f2328 }
    .title { font-size: 15px; font-weight: 600 }
    .quiet { fill: #59636e }
    .ground { fill: #ffffff }
    .grid { stroke: #d1d9e0 }
    .line { fill: none; stroke-width: 2 }
    .s0 { stroke: #0969da } .d0 { fill: #0969da }
    .s1 { stroke: #bc4c00 } .d1 { fill: #bc4c00 }
    .s2 { stroke: #1a7f37 } .d2 { fill: #1a7f37 }
    @media (prefers-color-scheme: dark) {
      text { fill: #f0f6fc } .quiet { fill: #9198a1 } .ground { fill: #0d1117 } .grid { stroke: #3d444d }
      .s0 { stroke: #4493f8 } .d0 { fill: #4493f8 }
      .s1 { stroke: #f0883e } .d1 { fill: #f0883e }
      .s2 { stroke: #3fb950 } .d2 { fill: #3fb950 }
    }`

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const shown = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)))

const sizeText = (size: number): string => {
  if (size >= 1_000_000) return `${size / 1_000_000} M`
  return size >= 1_000 ? `${size / 1_000} k` : String(size)
}

/** The smallest of 1, 2, 5 times a power of ten that gives at most so many steps up to a value. */
const stepFor = (largest: number, steps: number): number => {
  const power = 10 ** Math.floor(Math.log10(largest / steps))
  return power * ([1, 2, 5].find((factor) => largest / (power * factor) <= steps) ?? 10)
}

const round = (value: number): number => Math.round(value * 10) / 10

export const lineChartSvg = ({ title, of, unit, series }: LineChart): string => {
  const points = Object.values(series).flat()
  const sizes = [...new Set(points.map(({ size }) => size))].sort((a, b) => a - b)
  const [smallest = 1, largestSize = 10] = [sizes[0], sizes.at(-1)]
  const largest = Math.max(...points.map(({ value }) => value), Number.MIN_VALUE)
  const step = stepFor(largest, 5)
  const top = Math.ceil(largest / step) * step
  const span = Math.max(Math.log10(largestSize / smallest), Number.EPSILON)
  const xOf = (size: number): number =>
    round(plot.left + (Math.log10(size / smallest) / span) * (width - plot.left - plot.right))
  const yOf = (value: number): number => round(height - plot.bottom - (value / top) * (height - plot.top - plot.bottom))
  const ticks = Array.from({ length: Math.round(top / step) + 1 }, (_, index) => index * step)
  const grid = ticks.map(
    (value) =>
      `<line class="grid" x1="${plot.left}" x2="${width - plot.right}" y1="${yOf(value)}" y2="${yOf(value)}"/>` +
      `<text class="quiet" x="${plot.left - 8}" y="${yOf(value) + 4}" text-anchor="end">${shown(value)}</text>`,
  )
  const marks = sizes.map(
    (size) =>
      `<text class="quiet" x="${xOf(size)}" y="${height - plot.bottom + 20}" text-anchor="middle">${sizeText(size)}</text>`,
  )
  // Names stand at the ends of their lines, pushed apart where they would touch.
  const ends = Object.entries(series)
    .map(([name, line], index) => ({ name, index, y: yOf(line.at(-1)?.value ?? 0) + 4 }))
    .sort((a, b) => a.y - b.y)
  ends.forEach((end, place) => {
    const before = ends[place - 1]
    if (before !== undefined) end.y = Math.max(end.y, before.y + 16)
  })
  const names = ends.map(
    ({ name, index, y }) => `<text class="d${index}" x="${width - plot.right + 10}" y="${y}">${escaped(name)}</text>`,
  )
  const lines = Object.entries(series).map(([name, line], index) => {
    const path = line.map(({ size, value }) => `${xOf(size)},${yOf(value)}`).join(' ')
    const dots = line.map(
      ({ size, value }) =>
        `<circle class="d${index}" cx="${xOf(size)}" cy="${yOf(value)}" r="4"><title>${escaped(`${name}: ${shown(value)} ${unit} at ${size.toLocaleString('en')}`)}</title></circle>`,
    )
    return `<polyline class="line s${index}" points="${path}"/>${dots.join('')}`
  })
  const spoken = Object.entries(series)
    .map(
      ([name, line]) =>
        `${name}: ${line.map(({ size, value }) => `${shown(value)} ${unit} at ${sizeText(size)}`).join(', ')}`,
    )
    .join('. ')
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(`${title}. ${spoken}.`)}">
  <style>${style}
  </style>
  <rect class="ground" width="${width}" height="${height}" rx="6"/>
  <text class="title" x="${plot.left - 40}" y="26">${escaped(`${title}, ${unit}`)}</text>
  ${grid.join('\n  ')}
  ${marks.join('\n  ')}
  <text class="quiet" x="${(plot.left + width - plot.right) / 2}" y="${height - 12}" text-anchor="middle">${escaped(of)}</text>
  ${lines.join('\n  ')}
  ${names.join('\n  ')}
</svg>
`
}
