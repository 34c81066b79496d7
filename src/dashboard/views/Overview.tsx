/**
 * The first view: how the node is, what is to come, what went wrong, and how busy it was lately.
 */
import type { AgendaEntry, Charts, FlowSummary, Live, PageAnswer, ProjectionAnswer } from '../../http/answers.js'
import { AgendaTimeline } from '../parts/AgendaTimeline.js'
import { LineChart } from '../parts/LineChart.js'
import { attentionCount, hindrances } from '../condition.js'
import { Answered, Card, Condition, Empty, Lamp } from '../parts/ui.js'
import { useGet } from '../useLive.js'
import { linkTo } from '../useRoute.js'
import { count, distance, lastName, shownRef, span, wholeRef } from '../words.js'

const Figure = ({
  label,
  value,
  note,
  tone,
  href,
}: {
  readonly label: string
  readonly value: string
  readonly note: string
  readonly tone?: string
  readonly href: string
}) => (
  <a class={`figure ${tone ?? ''}`} href={href}>
    <span class="label">{label}</span>
    <span class="value">{value}</span>
    <span class="note">{note}</span>
  </a>
)

const Figures = ({ live, others }: { readonly live: Live; readonly others: readonly string[] }) => {
  const { activities, flows } = live
  const waiting = attentionCount(live)
  return (
    <div class="figures">
      <Figure
        label="On the agenda"
        value={count(activities.scheduled)}
        note={
          activities.paused === 0
            ? `${activities.scheduled === 1 ? 'activity' : 'activities'} to come`
            : `${count(activities.paused)} paused`
        }
        href={linkTo('agenda')}
      />
      <Figure
        label="Attention"
        value={count(waiting)}
        note={waiting > 0 ? 'parked, missed or failed' : others.length === 0 ? 'nothing needs you' : 'not all is well'}
        tone={waiting > 0 ? 'alarm' : others.length === 0 ? 'calm' : ''}
        href={linkTo('attention')}
      />
      <Figure
        label="Flows under way"
        value={count(flows.open)}
        note={
          flows.parked === 0 ? `${live.startsPerSecond.toFixed(1)} started a second` : `${count(flows.parked)} parked`
        }
        href={linkTo('flows')}
      />
      <Figure
        label="Events in the log"
        value={count(live.head.revision + 1)}
        note={`${live.eventsPerSecond.toFixed(1)} a second`}
        href={linkTo('log')}
      />
    </div>
  )
}

const Soon = ({ live, nowMs }: { readonly live: Live; readonly nowMs: number }) => {
  const asking = useGet<PageAnswer<AgendaEntry>>('/agenda', { limit: 7 }, live.head.revision)
  return (
    <Card title="Next" aside={<a href={linkTo('agenda')}>whole agenda</a>}>
      <Answered asking={asking}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="Nothing is scheduled.">
              A state that says when it is due appears here by itself. <a href={linkTo('flows')}>Start a flow</a> that
              makes one.
            </Empty>
          ) : (
            <ul class="brief">
              {items.map((entry) => (
                <li key={wholeRef(entry.ref)}>
                  <time>{distance(entry.actsAt ?? entry.due ?? '', nowMs)}</time>
                  <a href={linkTo('state', wholeRef(entry.ref))}>{lastName(entry.flow ?? entry.type)}</a>
                  <code>{shownRef(entry.ref)}</code>
                </li>
              ))}
            </ul>
          )
        }
      </Answered>
    </Card>
  )
}

/** As many lines as the list beside it has. */
const mostShown = 7

const AttentionCard = ({
  live,
  nowMs,
  others,
}: {
  readonly live: Live
  readonly nowMs: number
  /** What else keeps the node from being well; undefined until that is known. */
  readonly others: readonly string[] | undefined
}) => {
  const asking = useGet<PageAnswer<AgendaEntry>>('/agenda', { show: 'attention', limit: mostShown }, live.head.revision)
  const flows = useGet<PageAnswer<FlowSummary>>(
    '/flows',
    { status: 'attention', limit: mostShown },
    live.head.revision,
  ).asked
  const troubled = flows.state === 'answered' ? flows.answer.items : []
  const isWell = attentionCount(live) === 0 && others?.length === 0 && flows.state === 'answered'
  return (
    <Card title="Attention" aside={<a href={linkTo('attention')}>all of it</a>}>
      <Answered asking={asking}>
        {({ items }) =>
          isWell ? (
            <Empty title="All is well.">Work that is parked, missed or failed is listed here, with its reason.</Empty>
          ) : (
            <ul class="brief">
              {(others ?? []).map((text) => (
                <li key={text}>
                  <Lamp tone="amber" text="node" />
                  <span class="why whole">{text}</span>
                </li>
              ))}
              {live.hangingSteps === 0 ? null : (
                <li>
                  <Condition of="hanging" />
                  <a href={linkTo('attention')}>Steps</a>
                  <span class="why">{count(live.hangingSteps)} under way for more than a minute</span>
                </li>
              )}
              {items.map((entry) => (
                <li key={wholeRef(entry.ref)}>
                  <Condition of={entry.standing} />
                  <a href={linkTo('state', wholeRef(entry.ref))}>{lastName(entry.flow ?? entry.type)}</a>
                  <span class="why">
                    {entry.error?.message ?? (entry.due === undefined ? '' : `was due ${distance(entry.due, nowMs)}`)}
                  </span>
                </li>
              ))}
              {troubled.slice(0, Math.max(0, mostShown - items.length)).map((flow) => (
                <li key={flow.id}>
                  <Condition of={flow.status} />
                  <a href={linkTo('flow', flow.id)}>{lastName(flow.name)}</a>
                  <span class="why">{flow.error?.message ?? ''}</span>
                </li>
              ))}
            </ul>
          )
        }
      </Answered>
    </Card>
  )
}

/** Shown when the app has projections. */
const ProjectionsCard = ({ live }: { readonly live: Live }) => {
  const { asked } = useGet<PageAnswer<ProjectionAnswer>>('/projections', {}, live.head.revision)
  if (asked.state !== 'answered' || asked.answer.items.length === 0) return null
  return (
    <Card title="Projections">
      <ul class="brief">
        {asked.answer.items.map(({ name, version, state, lag, error }) => (
          <li key={name}>
            <Condition of={state} />
            <span>
              {name} <small>version {version}</small>
            </span>
            <span class="why">{error?.message ?? (lag === 0 ? 'up with the log' : `${count(lag)} events behind`)}</span>
          </li>
        ))}
      </ul>
    </Card>
  )
}

export const BusyCharts = ({ when }: { readonly when: unknown }) => {
  const asking = useGet<Charts>('/charts', { by: 'second', points: 120 }, when)
  return (
    <Answered asking={asking}>
      {(charts) => {
        // The second under way is not over, and would look like a fall.
        const points = charts.points.slice(0, -1)
        const at = points.map((point) => point.at)
        const series = (key: keyof (typeof points)[number]): readonly number[] =>
          points.map((point) => Number(point[key]))
        return (
          <div class="charts">
            <Card>
              <LineChart
                title="Throughput"
                at={at}
                show={(value) => `${count(Math.round(value))}/s`}
                lines={[
                  { label: 'events', tone: 'a', values: series('events') },
                  { label: 'flows started', tone: 'b', values: series('started') },
                ]}
              />
            </Card>
            <Card>
              <LineChart
                title="Lateness"
                at={at}
                show={(value) => span(value)}
                lines={[
                  { label: 'worst', tone: 'c', values: series('latenessMaxMs') },
                  { label: 'median', tone: 'a', values: series('latenessP50Ms') },
                ]}
              />
            </Card>
          </div>
        )
      }}
    </Answered>
  )
}

export const Overview = ({ live, nowMs }: { readonly live: Live; readonly nowMs: number }) => {
  const { asked } = useGet<PageAnswer<AgendaEntry>>('/agenda', { limit: 1 }, live.head.revision)
  const others = hindrances(live, asked.state === 'answered' ? asked.answer.items[0] : undefined, nowMs)
  return (
    <>
      <h1 class="hidden">Overview</h1>
      <Figures live={live} others={others} />
      <Card title="Agenda">
        <AgendaTimeline nowMs={nowMs} when={live.head.revision} />
      </Card>
      <div class="two">
        <Soon live={live} nowMs={nowMs} />
        <AttentionCard live={live} nowMs={nowMs} others={asked.state === 'answered' ? others : undefined} />
      </div>
      <ProjectionsCard live={live} />
      <BusyCharts when={Math.floor(nowMs / 1_000)} />
    </>
  )
}
