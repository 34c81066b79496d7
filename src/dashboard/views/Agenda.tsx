/**
 * The agenda in full: along time, and as a list that stays quick with a hundred thousand rows.
 */
import { useState } from 'preact/hooks'
import type { AgendaEntry, Live } from '../../http/answers.js'
import { ActivityActs } from '../parts/ActivityActs.js'
import { AgendaTimeline } from '../parts/AgendaTimeline.js'
import { PagedList } from '../parts/PagedList.js'
import { Card, Condition, Empty, Tabs } from '../parts/ui.js'
import { usePages } from '../parts/usePages.js'
import { linkTo } from '../useRoute.js'
import { distance, shownInstant, shownRef, wholeRef } from '../words.js'

type Show = 'scheduled' | 'started' | 'paused'

const Row = ({
  entry,
  nowMs,
  done,
  mayOperate,
}: {
  readonly entry: AgendaEntry
  readonly nowMs: number
  readonly done: () => void
  readonly mayOperate: boolean
}) => {
  const ref = wholeRef(entry.ref)
  const at = entry.actsAt ?? entry.due
  return (
    <>
      <span role="cell" class="when">
        {at === undefined ? '' : distance(at, nowMs)}
        <small>{at === undefined ? '' : shownInstant(at)}</small>
      </span>
      <span role="cell" class="grow">
        <a href={linkTo('state', ref)}>{entry.flow ?? entry.type}</a>
        <small>{entry.error === undefined ? (entry.note ?? entry.type) : entry.error.message}</small>
      </span>
      <code role="cell" class="ref">
        {shownRef(entry.ref)}
      </code>
      <span role="cell" class="condition">
        <Condition of={entry.standing} />
      </span>
      <span role="cell" class="acts">
        {mayOperate ? <ActivityActs activity={entry} done={done} /> : null}
      </span>
    </>
  )
}

const nothing: Readonly<Record<Show, string>> = {
  scheduled: 'Nothing is scheduled.',
  started: 'No activity is under way at this moment.',
  paused: 'Nothing is paused.',
}

const hints: Readonly<Record<Show, string>> = {
  scheduled: 'A state that says when it is due appears here as soon as it is recorded.',
  started: 'An activity is under way from its start until its flow has ended.',
  paused: 'Pause an activity that is to come, and it waits here until it is resumed.',
}

export const Agenda = ({
  live,
  nowMs,
  mayOperate,
}: {
  readonly live: Live
  readonly nowMs: number
  readonly mayOperate: boolean
}) => {
  const [show, setShow] = useState<Show>('scheduled')
  const pages = usePages<AgendaEntry>('/agenda', { show }, live.head.revision)
  return (
    <>
      <h1>Agenda</h1>
      <Card>
        <AgendaTimeline nowMs={nowMs} when={live.head.revision} />
      </Card>
      <Card
        flush
        title="Activities"
        aside={
          <Tabs
            label="Which activities"
            chosen={show}
            choose={setShow}
            tabs={[
              ['scheduled', 'To come', live.activities.scheduled],
              ['started', 'Under way'],
              ['paused', 'Paused', live.activities.paused],
            ]}
          />
        }
      >
        <PagedList
          label="Activities"
          pages={pages}
          empty={<Empty title={nothing[show]}>{hints[show]}</Empty>}
          rowHeight={56}
          narrowHeight={82}
          keyOf={({ ref }) => wholeRef(ref)}
          row={(entry) => <Row entry={entry} nowMs={nowMs} done={pages.again} mayOperate={mayOperate} />}
        />
      </Card>
    </>
  )
}
