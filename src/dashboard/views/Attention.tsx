/**
 * What needs an operator: activities that are parked, missed or failed, and parked flows, each with its reason and what
 * can be done about it.
 */
import type { ComponentChildren } from 'preact'
import type { ActivityAction, AgendaEntry, FlowAction, FlowSummary, Live, PageAnswer } from '../../http/answers.js'
import { operate } from '../api.js'
import { Act, Answered, Card, Condition, Empty } from '../parts/ui.js'
import { useGet, type Asking } from '../useLive.js'
import { linkTo } from '../useRoute.js'
import { shownInstant, shownId, shownRef, wholeRef } from '../words.js'

/** One thing that waits, and the two ways out of it: once more, or never again. */
type Case<A> = {
  readonly key: string
  readonly condition: string
  readonly href: string
  readonly name: string
  readonly code: string
  readonly reason: string
  readonly note: string
  readonly act: (action: A | 'retry') => Promise<unknown>
}

/** The way out after which it does not come back. */
type Ending<A> = { readonly action: A; readonly label: string; readonly confirm: string }

const Cases = <I, A>({
  title,
  asking,
  caseOf,
  ending,
  mayOperate,
  empty,
}: {
  readonly title: string
  readonly asking: Asking<PageAnswer<I>>
  readonly caseOf: (item: I) => Case<A>
  readonly ending: Ending<A>
  readonly mayOperate: boolean
  readonly empty: ComponentChildren
}) => (
  <Card title={title}>
    <Answered asking={asking}>
      {({ items }) =>
        items.length === 0 ? (
          empty
        ) : (
          <ul class="cases">
            {items.map(caseOf).map(({ key, condition, href, name, code, reason, note, act }) => (
              <li key={key}>
                <Condition of={condition} />
                <div class="grow">
                  <a href={href}>{name}</a> <code>{code}</code>
                  <p>{reason}</p>
                  <small>{note}</small>
                </div>
                {mayOperate ? (
                  <div class="acts">
                    <Act label="Retry" weight="primary" act={() => act('retry')} done={asking.again} />
                    <Act
                      label={ending.label}
                      weight="danger"
                      confirm={ending.confirm}
                      act={() => act(ending.action)}
                      done={asking.again}
                    />
                  </div>
                ) : null}
              </li>
            ))}
          </ul>
        )
      }
    </Answered>
  </Card>
)

const caseOfActivity = (entry: AgendaEntry): Case<ActivityAction> => {
  const ref = wholeRef(entry.ref)
  return {
    key: ref,
    condition: entry.standing,
    href: linkTo('state', ref),
    name: entry.flow ?? entry.type,
    code: shownRef(entry.ref),
    reason: entry.error?.message ?? 'It was later than its tolerance allows.',
    note: `due ${entry.due === undefined ? 'at no instant' : shownInstant(entry.due)}, ${entry.attempts} ${entry.attempts === 1 ? 'attempt' : 'attempts'}`,
    act: (action) => operate({ on: 'activity', action, ref: entry.ref }),
  }
}

const caseOfFlow = (flow: FlowSummary): Case<FlowAction> => ({
  key: flow.id,
  condition: flow.status,
  href: linkTo('flow', flow.id),
  name: flow.name,
  code: shownId(flow.id),
  reason: flow.error?.message ?? '',
  note: `since ${shownInstant(flow.startedAt)}`,
  act: (action) => operate({ on: 'flow', action, flow: flow.id }),
})

export const Attention = ({ live, mayOperate }: { readonly live: Live; readonly mayOperate: boolean }) => (
  <>
    <h1>Attention</h1>
    <Cases
      title="Activities"
      asking={useGet<PageAnswer<AgendaEntry>>('/agenda', { show: 'attention', limit: 200 }, live.head.revision)}
      caseOf={caseOfActivity}
      ending={{ action: 'discharge', label: 'Dismiss', confirm: 'It will not be started again.' }}
      mayOperate={mayOperate}
      empty={
        <Empty title="No activity waits.">
          An activity comes here when it could not be started, was later than its tolerance, or its flow failed.
        </Empty>
      }
    />
    <Cases
      title="Flows"
      asking={useGet<PageAnswer<FlowSummary>>('/flows', { status: 'parked', limit: 200 }, live.head.revision)}
      caseOf={caseOfFlow}
      ending={{ action: 'kill', label: 'Kill', confirm: 'It ends at once.' }}
      mayOperate={mayOperate}
      empty={
        <Empty title="No flow is parked.">
          A flow comes here when it cannot go on by itself: its code has changed, or it asked for a person.
        </Empty>
      }
    />
  </>
)
