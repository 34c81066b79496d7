/**
 * What waits for a hand: activities that are parked, missed or failed, and parked flows, each with its reason and what
 * can be done about it.
 */
import { post, type AgendaEntry, type FlowSummary, type Live, type Page } from '../api.js'
import { Act, Answered, Card, Condition, Empty } from '../parts/ui.js'
import { useGet } from '../useLive.js'
import { linkTo } from '../useRoute.js'
import { instant, shortId, shortRef, wholeRef } from '../words.js'

export const Attention = ({ live, mayOperate }: { readonly live: Live; readonly mayOperate: boolean }) => {
  const activities = useGet<Page<AgendaEntry>>('/agenda', { show: 'attention', limit: 200 }, live.head.revision)
  const flows = useGet<Page<FlowSummary>>('/flows', { status: 'parked', limit: 200 }, live.head.revision)
  return (
    <>
      <h1>Waiting for a hand</h1>
      <Card title="Activities">
        <Answered asking={activities}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty title="No activity waits.">
                An activity comes here when it could not be started, was later than its tolerance, or its flow failed.
              </Empty>
            ) : (
              <ul class="cases">
                {items.map((entry) => {
                  const ref = wholeRef(entry.ref)
                  const act = (action: string) => () => post(`/activities/${ref}/${action}`, {})
                  return (
                    <li key={ref}>
                      <Condition of={entry.standing} />
                      <div class="grow">
                        <a href={linkTo('state', ref)}>{entry.flow ?? entry.type}</a> <code>{shortRef(entry.ref)}</code>
                        <p>
                          {entry.error === undefined ? 'It was later than its tolerance allows.' : entry.error.message}
                        </p>
                        <small>
                          due {entry.due === undefined ? 'at no instant' : instant(entry.due)}, {entry.attempts}{' '}
                          {entry.attempts === 1 ? 'attempt' : 'attempts'}
                        </small>
                      </div>
                      {mayOperate ? (
                        <div class="acts">
                          <Act label="Retry" weight="primary" act={act('retry')} done={activities.again} />
                          <Act
                            label="Discharge"
                            weight="danger"
                            confirm="It will not be started again."
                            act={act('discharge')}
                            done={activities.again}
                          />
                        </div>
                      ) : null}
                    </li>
                  )
                })}
              </ul>
            )
          }
        </Answered>
      </Card>
      <Card title="Flows">
        <Answered asking={flows}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty title="No flow is parked.">
                A flow comes here when it cannot go on by itself: its code has changed, or it asked for a person.
              </Empty>
            ) : (
              <ul class="cases">
                {items.map((flow) => {
                  const act = (action: string) => () => post(`/flows/${flow.id}/${action}`)
                  return (
                    <li key={flow.id}>
                      <Condition of={flow.status} />
                      <div class="grow">
                        <a href={linkTo('flow', flow.id)}>{flow.name}</a> <code>{shortId(flow.id)}</code>
                        <p>{flow.error?.message ?? ''}</p>
                        <small>since {instant(flow.startedAt)}</small>
                      </div>
                      {mayOperate ? (
                        <div class="acts">
                          <Act label="Retry" weight="primary" act={act('retry')} done={flows.again} />
                          <Act
                            label="Kill"
                            weight="danger"
                            confirm="It ends at once."
                            act={act('kill')}
                            done={flows.again}
                          />
                        </div>
                      ) : null}
                    </li>
                  )
                })}
              </ul>
            )
          }
        </Answered>
      </Card>
    </>
  )
}
