/**
 * The agenda along time: what was on time, late, failed or missed to the left of now, what is to come to the right. It
 * is zoomed with the buttons, the wheel or the keys + and −, and moved with the arrows.
 */
import { useState } from 'preact/hooks'
import type { AgendaEntry, Occurrence, PageAnswer, TimelineAnswer } from '../../http/answers.js'
import { count, shownInstant, span } from '../words.js'
import { useGet } from '../useLive.js'
import { Answered } from './ui.js'

const width = 1_000
const height = 132
const floor = height - 22

const spans: readonly (readonly [label: string, ms: number])[] = [
  ['2 min', 120_000],
  ['10 min', 600_000],
  ['1 h', 3_600_000],
  ['6 h', 21_600_000],
  ['1 day', 86_400_000],
  ['1 week', 604_800_000],
  ['1 month', 2_592_000_000],
  ['3 months', 7_776_000_000],
  ['1 year', 31_536_000_000],
]

/** An hour, where there is nothing yet to go by. */
const usualZoom = 2
/** How much of the picture lies before now. */
const pastShare = 0.4

/** On a page narrower than this a date is a sixth of the picture. */
const narrow = 600

const layers = [
  ['onTime', 'on time'],
  ['late', 'late'],
  ['failed', 'failed'],
  ['missed', 'missed'],
  ['scheduled', 'to come'],
] as const

/** So many instants are named below the picture; more would run into each other. */
const mostTicks = { wide: 9, narrow: 4.2 } as const

const tickSteps = [
  1_000, 5_000, 15_000, 30_000, 60_000, 300_000, 600_000, 900_000, 1_800_000, 3_600_000, 10_800_000, 21_600_000,
  86_400_000, 172_800_000, 604_800_000, 1_209_600_000, 2_592_000_000, 7_776_000_000,
]

/** Even instants within a timeline, and how far apart they are. */
const ticksOf = ({ from, until }: TimelineAnswer): { readonly ticks: readonly number[]; readonly stepMs: number } => {
  const fromMs = Date.parse(from)
  const untilMs = Date.parse(until)
  const most = innerWidth < narrow ? mostTicks.narrow : mostTicks.wide
  const stepMs = tickSteps.find((step) => (untilMs - fromMs) / step <= most) ?? 31_536_000_000
  const ticks: number[] = []
  for (let at = Math.ceil(fromMs / stepMs) * stepMs; at < untilMs; at += stepMs) ticks.push(at)
  return { ticks, stepMs }
}

const labelOf = (ms: number, stepMs: number): string => {
  const text = new Date(ms).toISOString()
  if (stepMs >= 86_400_000) return text.slice(0, 10)
  return stepMs >= 60_000 ? text.slice(11, 16) : text.slice(11, 19)
}

const Bars = ({ timeline }: { readonly timeline: TimelineAnswer }) => {
  const fromMs = Date.parse(timeline.from)
  const untilMs = Date.parse(timeline.until)
  const x = (ms: number): number => ((ms - fromMs) / (untilMs - fromMs)) * width
  const total = (bar: TimelineAnswer['bars'][number]): number =>
    bar.onTime + bar.late + bar.failed + bar.missed + bar.scheduled
  const most = Math.max(1, ...timeline.bars.map(total))
  // By the root, so that one failure stays visible beside a thousand that went well.
  const tall = (value: number): number => (Math.sqrt(value) / Math.sqrt(most)) * (floor - 14)
  const barWidth = Math.max(1, width / timeline.bars.length - 1.2)
  const { ticks } = ticksOf(timeline)
  const nowX = x(Date.parse(timeline.now))
  return (
    <svg
      class="timeline"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label="Timeline"
    >
      {ticks.map((at) => (
        <line key={at} class="tick" x1={x(at)} x2={x(at)} y1="0" y2={floor} />
      ))}
      <line class="axis" x1="0" x2={width} y1={floor} y2={floor} />
      {timeline.bars.map((bar) => {
        const all = total(bar)
        if (all === 0) return null
        let top = floor
        return (
          <g key={bar.at}>
            <title>
              {`${shownInstant(bar.at)}: ${layers
                .filter(([key]) => bar[key] > 0)
                .map(([key, label]) => `${count(bar[key])} ${label}`)
                .join(', ')}${bar.worstLatenessMs > 0 ? `; at worst ${span(bar.worstLatenessMs)} late` : ''}`}
            </title>
            {layers.map(([key]) => {
              const part = (bar[key] / all) * Math.max(3, tall(all))
              top -= part
              return part === 0 ? null : (
                <rect key={key} class={key} x={x(Date.parse(bar.at))} y={top} width={barWidth} height={part} rx="1" />
              )
            })}
          </g>
        )
      })}
      {nowX < 0 || nowX > width ? null : <line class="now" x1={nowX} x2={nowX} y1="0" y2={floor + 4} />}
    </svg>
  )
}

const Labels = ({ timeline }: { readonly timeline: TimelineAnswer }) => {
  const fromMs = Date.parse(timeline.from)
  const untilMs = Date.parse(timeline.until)
  const { ticks, stepMs } = ticksOf(timeline)
  const share = (ms: number): number => ((ms - fromMs) / (untilMs - fromMs)) * 100
  const nowShare = share(Date.parse(timeline.now))
  return (
    <div class="labels" aria-hidden="true">
      {ticks
        .filter(
          (at) =>
            share(at) < (innerWidth < narrow ? 90 : 96) &&
            share(at) > (innerWidth < narrow ? 9 : 2) &&
            Math.abs(share(at) - nowShare) > (innerWidth < narrow ? 16 : 6),
        )
        .map((at) => (
          <span key={at} style={{ left: `${share(at)}%` }}>
            {labelOf(at, stepMs)}
          </span>
        ))}
      {nowShare < 0 || nowShare > 100 ? null : (
        <span class="now" style={{ left: `${nowShare}%` }}>
          now
        </span>
      )}
    </div>
  )
}

/** How many activities, before now and after it, the first look should hold. */
const fewest = 12

/** The closest look that holds the last few occurrences and the next few activities, as far as there are any. */
const zoomFor = (nowMs: number, before: readonly string[], after: readonly string[]): number => {
  const farthest = (instants: readonly string[], share: number): number =>
    Math.max(0, ...instants.map((at) => Math.abs(Date.parse(at) - nowMs))) / share
  const needed = Math.max(farthest(before, pastShare), farthest(after, 1 - pastShare))
  const found = spans.findIndex(([, ms]) => ms >= needed)
  return found < 0 ? spans.length - 1 : found
}

/** Looked up once: a picture that zooms by itself while someone looks at it would be no help. */
const useFittingZoom = (nowMs: number): number | undefined => {
  const before = useGet<PageAnswer<Occurrence>>('/occurrences', { limit: fewest }, 0).asked
  const after = useGet<PageAnswer<AgendaEntry>>('/agenda', { limit: fewest }, 0).asked
  const [zoom, setZoom] = useState<number>()
  if (zoom === undefined && before.state === 'answered' && after.state === 'answered') {
    const past = before.answer.items.map(({ at }) => at)
    const future = after.answer.items.flatMap(({ actsAt, due }) => actsAt ?? due ?? [])
    if (past.length + future.length > 0) setZoom(zoomFor(nowMs, past, future))
  }
  return zoom
}

/** `when` changes whenever something has happened on the node. */
export const AgendaTimeline = ({ nowMs, when }: { readonly nowMs: number; readonly when: unknown }) => {
  const fitting = useFittingZoom(nowMs)
  const [chosen, setChosen] = useState<number>()
  const zoom = chosen ?? fitting ?? usualZoom
  const [shift, setShift] = useState(0)
  const [, spanMs] = spans[zoom] ?? ['', 3_600_000]
  const barMs = spanMs / 100
  // Aligned to whole bars, so that bars do not flicker as time goes by.
  const fromMs = Math.floor((nowMs - spanMs * pastShare + shift * spanMs) / barMs) * barMs
  const asking = useGet<TimelineAnswer>(
    '/agenda/timeline',
    {
      from: new Date(Math.max(0, fromMs)).toISOString(),
      until: new Date(fromMs + spanMs).toISOString(),
      bars: 100,
    },
    when,
  )
  const zoomBy = (steps: number): void => setChosen(Math.min(spans.length - 1, Math.max(0, zoom + steps)))
  const last = useLastAnswer(asking)
  return (
    <div
      class="agenda-timeline"
      tabIndex={0}
      role="group"
      aria-label="Agenda along time; arrows move, plus and minus zoom, 0 returns to now"
      onKeyDown={(event) => {
        const deeds: Readonly<Record<string, () => void>> = {
          '+': () => zoomBy(-1),
          '-': () => zoomBy(1),
          ArrowLeft: () => setShift((before) => before - 0.25),
          ArrowRight: () => setShift((before) => before + 0.25),
          '0': () => setShift(0),
        }
        const deed = deeds[event.key]
        if (deed === undefined) return
        event.preventDefault()
        deed()
      }}
      onWheel={(event) => {
        if (!event.ctrlKey && !event.metaKey) return
        event.preventDefault()
        zoomBy(event.deltaY > 0 ? 1 : -1)
      }}
    >
      <div class="tools">
        <div class="legend">
          {layers.map(([key, label]) => (
            <span key={key}>
              <i class={key} aria-hidden="true" />
              {label}
            </span>
          ))}
        </div>
        <div class="buttons">
          <button type="button" aria-label="Earlier" onClick={() => setShift((before) => before - 0.25)}>
            ‹
          </button>
          <button type="button" onClick={() => setShift(0)} aria-label="Back to now">
            now
          </button>
          <button type="button" aria-label="Later" onClick={() => setShift((before) => before + 0.25)}>
            ›
          </button>
          <button type="button" aria-label="Zoom in" onClick={() => zoomBy(-1)}>
            +
          </button>
          <span class="zoom">{spans[zoom]?.[0]}</span>
          <button type="button" aria-label="Zoom out" onClick={() => zoomBy(1)}>
            −
          </button>
        </div>
      </div>
      {last === undefined ? (
        <Answered asking={asking}>{() => null}</Answered>
      ) : (
        <>
          <Bars timeline={last} />
          <Labels timeline={last} />
        </>
      )}
    </div>
  )
}

/** The newest answer there was, so that the picture does not go away while the next is on its way. */
const useLastAnswer = (asking: ReturnType<typeof useGet<TimelineAnswer>>): TimelineAnswer | undefined => {
  const [last, setLast] = useState<TimelineAnswer>()
  const { asked } = asking
  if (asked.state === 'answered' && asked.answer !== last) setLast(asked.answer)
  return asked.state === 'answered' ? asked.answer : last
}
