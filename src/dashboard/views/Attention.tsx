/**
 * What needs an operator: activities that are parked, missed or failed, and flows that are parked or were superseded after a
 * step, each with its reason and what can be done about it.
 */
import type { ComponentChildren } from 'preact'
import type {
  ActivityAction,
  AgendaEntry,
  FlowAction,
  FlowSummary,
  HangingStep,
  Live,
  PageAnswer,
} from '../../http/answers.js'
import { operate } from '../api.js'
import { Act, Answered, Card, Condition, Empty } from '../parts/ui.js'
import { useGet, type Asking } from '../useLive.js'
import { linkTo } from '../useRoute.js'
import { shownInstant, shownId, shownRef, wholeRef } from '../words.js'

/** The way out after which it does not come back. */
type Ending<A> = { readonly action: A; readonly label: string; readonly confirm: string }

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
  /** The ways out of it. */
  readonly ending: Ending<A>
  readonly mayRetry: boolean
}

const Cases = <I, A>({
  title,
  asking,
  caseOf,
  mayOperate,
  empty,
}: {
  readonly title: string
  readonly asking: Asking<PageAnswer<I>>
  readonly caseOf: (item: I) => Case<A>
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
            {items.map(caseOf).map(({ key, condition, href, name, code, reason, note, act, ending, mayRetry }) => (
              <li key={key}>
                <Condition of={condition} />
                <div class="grow">
                  <a href={href}>{name}</a> <code>{code}</code>
                  <p>{reason}</p>
                  <small>{note}</small>
                </div>
                {mayOperate ? (
                  <div class="acts">
                    {mayRetry ? (
                      <Act label="Retry" weight="primary" act={() => act('retry')} done={asking.again} />
                    ) : null}
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
    ending: { action: 'dismiss', label: 'Dismiss', confirm: 'It will not be started again.' },
    mayRetry: true,
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
  ending:
    flow.status === 'parked'
      ? { action: 'kill', label: 'Kill', confirm: 'It ends at once.' }
      : { action: 'dismiss', label: 'Dismiss', confirm: 'It has ended, and is not shown here again.' },
  mayRetry: flow.status === 'parked',
})

const caseOfStep = ({ flow, flowName, step, attempt, since }: HangingStep): Case<FlowAction> => ({
  key: `${flow} ${step}`,
  condition: 'hanging',
  href: linkTo('flow', flow),
  name: flowName,
  code: shownId(flow),
  reason: `Step "${step}" has been under way for long. Only its own flow waits for it.`,
  note: `since ${shownInstant(since)}, try ${attempt}`,
  act: (action) => operate({ on: 'flow', action, flow }),
  ending: { action: 'kill', label: 'Kill', confirm: 'The flow ends at once.' },
  mayRetry: false,
})

export const Attention = ({ live, mayOperate }: { readonly live: Live; readonly mayOperate: boolean }) => (
  <>
    <h1>Attention</h1>
    <Cases
      title="Activities"
      asking={useGet<PageAnswer<AgendaEntry>>('/agenda', { show: 'attention', limit: 200 }, live.head.revision)}
      caseOf={caseOfActivity}
      mayOperate={mayOperate}
      empty={
        <Empty title="No activity needs attention.">
          Activities that could not be started, were later than their tolerance, or whose flow failed are listed here.
        </Empty>
      }
    />
    <Cases
      title="Flows"
      asking={useGet<PageAnswer<FlowSummary>>('/flows', { status: 'attention', limit: 200 }, live.head.revision)}
      caseOf={caseOfFlow}
      mayOperate={mayOperate}
      empty={
        <Empty title="No flow needs attention.">
          Flows that are parked, or that had begun a step when they found the state of their activity consumed, are
          listed here.
        </Empty>
      }
    />
    <Cases
      title="Steps"
      asking={useGet<PageAnswer<HangingStep>>('/flows/hanging', {}, live.head.revision)}
      caseOf={caseOfStep}
      mayOperate={mayOperate}
      empty={<Empty title="No step hangs.">Steps that take more than a minute are listed here.</Empty>}
    />
  </>
)
