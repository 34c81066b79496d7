/**
 * Numbers along time as lines over a soft area: throughput, lateness. The newest is at the right.
 */
import { useState } from 'preact/hooks'
import { span } from '../words.js'

export type Line = {
  readonly label: string
  readonly tone: 'a' | 'b' | 'c'
  readonly values: readonly number[]
}

const width = 600
const height = 120

const pathOf = (values: readonly number[], most: number): string =>
  values
    .map((value, index) => {
      const x = values.length < 2 ? 0 : (index / (values.length - 1)) * width
      const y = height - 4 - (value / most) * (height - 14)
      return `${index === 0 ? 'M' : 'L'}${x.toFixed(1)},${y.toFixed(1)}`
    })
    .join('')

const roundMs = 10_000

/** How far back the picture reaches, in round numbers. */
const reachMs = (first: string, last: string): number =>
  Math.ceil((Date.parse(last) - Date.parse(first)) / roundMs) * roundMs

export const LineChart = ({
  title,
  lines,
  at,
  show,
}: {
  readonly title: string
  readonly lines: readonly Line[]
  /** The instants of the values. */
  readonly at: readonly string[]
  readonly show: (value: number) => string
}) => {
  const [over, setOver] = useState<number>()
  const most = Math.max(1e-9, ...lines.flatMap(({ values }) => values))
  const shown = over ?? at.length - 1
  return (
    <figure class="chart">
      <figcaption>
        <span>{title}</span>
        <span class="values">
          {lines.map(({ label, tone, values }) => (
            <span key={label}>
              <i class={`line-${tone}`} aria-hidden="true" />
              {label} <b>{show(values[shown] ?? 0)}</b>
            </span>
          ))}
          {over === undefined ? null : <time>{at[shown]?.slice(11, 19)}</time>}
        </span>
      </figcaption>
      <div class="plot">
        <div class="most" aria-hidden="true">
          {show(most < 1e-6 ? 0 : most)}
        </div>
        <svg
          viewBox={`0 0 ${width} ${height}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${title}: ${lines.map(({ label, values }) => `${label} ${show(values.at(-1) ?? 0)}`).join(', ')}`}
          onMouseLeave={() => setOver(undefined)}
          onMouseMove={(event) => {
            const { left, width: wide } = event.currentTarget.getBoundingClientRect()
            setOver(Math.round(((event.clientX - left) / wide) * (at.length - 1)))
          }}
        >
          {lines.map(({ tone, values, label }, index) => (
            <g key={label}>
              {index === 0 ? (
                <path class={`area-${tone}`} d={`${pathOf(values, most)}L${width},${height}L0,${height}Z`} />
              ) : null}
              <path class={`line-${tone}`} d={pathOf(values, most)} />
            </g>
          ))}
          {over === undefined ? null : (
            <line
              class="hair"
              x1={(over / Math.max(1, at.length - 1)) * width}
              x2={(over / Math.max(1, at.length - 1)) * width}
              y1="0"
              y2={height}
            />
          )}
        </svg>
      </div>
      <div class="ends" aria-hidden="true">
        <span>{at[0] === undefined ? '' : `${span(reachMs(at[0], at.at(-1) ?? at[0]))} ago`}</span>
        <span>now</span>
      </div>
    </figure>
  )
}
