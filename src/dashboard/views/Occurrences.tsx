/**
 * What happened to activities, newest first: how late each was and how it came out.
 */
import type { Live, Occurrence } from '../../http/answers.js'
import { PagedList } from '../parts/PagedList.js'
import { Card, Condition, Empty } from '../parts/ui.js'
import { usePages } from '../parts/usePages.js'
import { linkTo } from '../useRoute.js'
import { shownInstant, lateness, shownRef, wholeRef } from '../words.js'
import { BusyCharts } from './Overview.js'

export const Occurrences = ({ live, nowMs }: { readonly live: Live; readonly nowMs: number }) => {
  const pages = usePages<Occurrence>('/occurrences', {}, live.head.revision)
  return (
    <>
      <h1>Occurrences</h1>
      <BusyCharts when={Math.floor(nowMs / 1_000)} />
      <Card flush title="Attempts, newest first">
        <PagedList
          label="Occurrences"
          pages={pages}
          empty={
            <Empty title="Nothing has fallen due yet.">
              Every attempt at an activity is listed here with its lateness.
            </Empty>
          }
          rowHeight={48}
          narrowHeight={72}
          keyOf={({ revision }) => String(revision)}
          row={(occurrence) => (
            <>
              <span role="cell" class="when">
                {shownInstant(occurrence.at)}
              </span>
              <span role="cell" class="condition">
                <Condition of={occurrence.outcome} />
              </span>
              <span role="cell" class="grow">
                {occurrence.flow === undefined ? (
                  <span>{occurrence.type}</span>
                ) : (
                  <a href={linkTo('flow', occurrence.flow)}>{occurrence.flowName}</a>
                )}
                <small>{occurrence.error?.message ?? ''}</small>
              </span>
              <span role="cell" class={`late ${occurrence.latenessMs > 1_000 ? 'is-late' : ''}`}>
                {lateness(occurrence.latenessMs)}
              </span>
              <span role="cell" class="reason">
                <a href={linkTo('state', wholeRef(occurrence.ref))} aria-label={`Why ${shownRef(occurrence.ref)}`}>
                  why
                </a>
              </span>
            </>
          )}
        />
      </Card>
    </>
  )
}
