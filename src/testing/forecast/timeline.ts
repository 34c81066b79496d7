/**
 * A forecast as a picture: a row for each flow, time from left to right, and a mark where something runs.
 */
import { toMillis } from '../../time/Instant.js'
import type { Forecast } from './forecast.js'

const marks = ['·', '▪', '■', '█'] as const

/** How dark a place is, by how much happens there. */
const markOf = (count: number): string => marks[count === 0 ? 0 : count === 1 ? 1 : count < 10 ? 2 : 3]

/** The lines of the picture, at most so many columns wide. */
export const timeline = ({ from, until, entries }: Forecast, width: number): readonly string[] => {
  const flows = [...new Set(entries.map(({ flow }) => (flow === '' ? '(not started)' : flow)))]
  const longest = Math.max(0, ...flows.map((flow) => flow.length))
  const places = Math.max(10, Math.min(width, 200) - longest - 2)
  const beginMs = toMillis(from)
  const spanMs = Math.max(1, toMillis(until) - beginMs)
  const rows = flows.map((flow) => {
    const counts = new Array<number>(places).fill(0)
    for (const entry of entries) {
      if ((entry.flow === '' ? '(not started)' : entry.flow) !== flow) continue
      const place = Math.min(places - 1, Math.floor(((toMillis(entry.at) - beginMs) / spanMs) * places))
      counts[place] = (counts[place] ?? 0) + 1
    }
    return `${flow.padEnd(longest)}  ${counts.map(markOf).join('')}`
  })
  const begin = from.slice(0, 16)
  const end = until.slice(0, 16)
  return [
    ...rows,
    `${' '.repeat(longest + 2)}${begin}${' '.repeat(Math.max(1, places - begin.length - end.length))}${end}`,
  ]
}
