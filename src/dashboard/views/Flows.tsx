/**
 * Flows: a list by condition, the start of a new one, and the story of each.
 */
import { useState } from 'preact/hooks'
import type { FlowAction, FlowSummary, FlowWithStory, Live, SendableSignal, StartableFlow } from '../../http/answers.js'
import { get, operate, post } from '../api.js'
import { PagedList } from '../parts/PagedList.js'
import { Act, Answered, Card, Condition, Data, Empty, FactList, Tabs } from '../parts/ui.js'
import { usePages } from '../parts/usePages.js'
import { useAnswer, useGet } from '../useLive.js'
import { linkTo } from '../useRoute.js'
import { clock, distance, shownInstant, json, lateness, readable, shownId, shownRef, wholeRef } from '../words.js'

const origin = ({ startedBy }: FlowSummary): string => {
  switch (startedBy.kind) {
    case 'activity':
      return `activity of ${shownRef(startedBy.ref)}`
    case 'session':
      return 'a session'
    case 'client':
      return startedBy.by
    case 'flow':
      return `flow ${shownId(startedBy.flow)}`
    case 'continued':
      return `flow ${shownId(startedBy.from)}, continued`
  }
}

const showWait = (wait: { readonly for?: string; readonly label?: string; readonly until?: string }): string => {
  switch (wait.for) {
    case 'instant':
      return `sleeps until ${shownInstant(wait.until ?? '')}`
    case 'step':
      return wait.label ?? 'a step'
    case 'cancel':
      return `is being cancelled, until ${shownInstant(wait.until ?? '')} at most`
    case 'turn':
    case undefined:
      return ''
    default: {
      const what = readable(wait.label ?? wait.for)
      const until = wait.until === undefined ? '' : `, until ${shownInstant(wait.until)} at most`
      return wait.for === 'message' ? `waits to ${what}${until}` : `${what.replace(/^wait/, 'waits')}${until}`
    }
  }
}

const told = (flow: FlowSummary): string => {
  if (flow.error !== undefined) return flow.error.message
  if (flow.endedAt !== undefined) return json(flow.result ?? flow.refusal)
  const waits = (flow.waiting ?? []).map(showWait).filter((wait) => wait !== '')
  return [flow.progress, waits.join(' or ')].filter((part) => part !== undefined && part !== '').join(', ')
}

const causes: Readonly<Record<string, string>> = {
  due: '',
  missed: ', because it was missed',
  restart: ', after a restart',
  retry: ', retried by hand',
  trigger: ', run by hand',
}

const toldAs = ({ error, endedAt }: FlowSummary): string => {
  if (error !== undefined) return 'Error'
  return endedAt === undefined ? 'Now' : 'Result'
}

type Kind = 'all' | 'open' | 'parked' | 'failed' | 'refused' | 'completed'

/** Something of the form that a schema asks for, to be filled in. */
const outlineOf = (schema: Readonly<Record<string, unknown>>): unknown => {
  const {
    type,
    properties = {},
    required = [],
    enum: choices,
  } = schema as {
    readonly type?: string
    readonly properties?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
    readonly required?: readonly string[]
    readonly enum?: readonly unknown[]
  }
  if (choices !== undefined) return choices[0]
  switch (type) {
    case 'object':
      return Object.fromEntries(required.map((key) => [key, outlineOf(properties[key] ?? {})]))
    case 'array':
      return []
    case 'integer':
    case 'number':
      return 0
    case 'boolean':
      return false
    default:
      return type === 'string' ? '' : null
  }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`This is not JSON: ${error instanceof Error ? error.message : String(error)}.`, {
      cause: error,
    })
  }
}

const StartFlow = ({ started }: { readonly started: () => void }) => {
  const asking = useGet<{ readonly items: readonly StartableFlow[] }>('/flows/definitions', {}, 0)
  const [name, setName] = useState('')
  const [input, setInput] = useState<string>()
  return (
    <Answered asking={asking}>
      {({ items }) => {
        const startable = items.filter(({ mayStart, schedulable }) => mayStart && !schedulable)
        if (startable.length === 0)
          return items.some(({ schedulable }) => !schedulable) ? (
            <Empty title="There is no flow that your token may start.">
              Ask an operator for a token with the permission start:a-flow.
            </Empty>
          ) : (
            <Empty title="This app has no flow to be started by hand.">
              Its flows are started by activities or by other parties.
            </Empty>
          )
        const chosen = startable.find((each) => each.name === name)
        const text = input ?? (chosen === undefined ? '' : json(outlineOf(chosen.input) ?? {}))
        const members = Object.entries(
          (chosen?.input['properties'] ?? {}) as Record<string, { readonly type?: string }>,
        )
        return (
          <form class="start" onSubmit={(event) => event.preventDefault()}>
            <label>
              Flow
              <select
                value={chosen?.name ?? ''}
                onChange={({ currentTarget }) => {
                  setName(currentTarget.value)
                  setInput(undefined)
                }}
              >
                <option value="">Choose a flow</option>
                {startable.map((each) => (
                  <option key={each.name}>{each.name}</option>
                ))}
              </select>
            </label>
            <label class="grow">
              Input
              <input
                spellcheck={false}
                disabled={chosen === undefined}
                value={text}
                onInput={({ currentTarget }) => setInput(currentTarget.value)}
                aria-describedby="input-hint"
              />
            </label>
            <Act
              submits
              label="Start"
              weight="primary"
              disabled={chosen === undefined}
              check={() => parsed(text)}
              confirm={`Start ${chosen?.name ?? 'it'} with this input?`}
              act={async () => post('/flows', { flow: chosen?.name, input: parsed(text) })}
              done={() => {
                setName('')
                setInput(undefined)
                started()
              }}
            />
            <small id="input-hint">
              {chosen === undefined
                ? 'You are asked once more before it starts.'
                : members.length === 0
                  ? 'It takes no input.'
                  : `It takes ${members.map(([key, { type }]) => `${key} (${type ?? 'any'})`).join(', ')}.`}
            </small>
          </form>
        )
      }}
    </Answered>
  )
}

/** The signals that a flow waits for, first; then the others of the app. */
const SendSignal = ({ flow, sent }: { readonly flow: FlowWithStory; readonly sent: () => void }) => {
  const asking = useGet<{ readonly items: readonly SendableSignal[] }>('/signals', {}, 0)
  const [name, setName] = useState('')
  const [data, setData] = useState<string>()
  const awaited = (flow.waiting ?? []).flatMap((wait) => (wait.for === 'signal' ? [wait.signal] : []))
  return (
    <Answered asking={asking}>
      {({ items }) => {
        const sendable = items.filter(({ maySend }) => maySend)
        const first = sendable.find((each) => awaited.includes(each.name)) ?? sendable[0]
        if (first === undefined)
          return (
            <Empty title={awaited.length === 0 ? 'It waits for no signal.' : `It waits for ${awaited.join(', ')}.`}>
              {items.length === 0
                ? 'This app has no signals.'
                : 'Your token may send none: it needs the permission signal:a-signal.'}
            </Empty>
          )
        const chosen = sendable.find((each) => each.name === name) ?? first
        const text = data ?? json(chosen.example)
        return (
          <form class="start" onSubmit={(event) => event.preventDefault()}>
            <label>
              Signal
              <select
                value={chosen.name}
                onChange={({ currentTarget }) => {
                  setName(currentTarget.value)
                  setData(undefined)
                }}
              >
                {sendable.map((each) => (
                  <option key={each.name} value={each.name}>
                    {awaited.includes(each.name) ? `${each.name} (waited for)` : each.name}
                  </option>
                ))}
              </select>
            </label>
            <label class="grow">
              Data
              <input
                spellcheck={false}
                value={text}
                onInput={({ currentTarget }) => setData(currentTarget.value)}
                aria-describedby="signal-hint"
              />
            </label>
            <Act
              submits
              label="Send"
              weight="primary"
              act={async () => post('/signals', { to: flow.id, signal: chosen.name, data: parsed(text) })}
              done={() => {
                setData(undefined)
                sent()
              }}
            />
            <small id="signal-hint">
              {awaited.length === 0
                ? 'It waits for no signal now; one that is sent is kept until it does.'
                : `It waits for ${awaited.join(', ')}.`}
            </small>
          </form>
        )
      }}
    </Answered>
  )
}

/** What can be done to all flows of a list at once. */
const ActsOnAll = ({ kind, done }: { readonly kind: 'open' | 'parked'; readonly done: () => void }) => {
  const act = (action: FlowAction) => () => post('/operate/flows', { action, status: kind })
  return (
    <div class="acts">
      {kind === 'parked' ? <Act label="Retry all" weight="primary" act={act('retry')} done={done} /> : null}
      <Act
        label="Cancel all"
        confirm="All flows of this list are cancelled: each undoes what its code says, and ends."
        act={act('cancel')}
        done={done}
      />
    </div>
  )
}

export const FlowsPage = ({
  live,
  nowMs,
  mayOperate,
}: {
  readonly live: Live
  readonly nowMs: number
  readonly mayOperate: boolean
}) => {
  const [kind, setKind] = useState<Kind>('all')
  const pages = usePages<FlowSummary>('/flows', { status: kind === 'all' ? undefined : kind }, live.head.revision)
  return (
    <>
      <h1>Flows</h1>
      <Card title="Start a flow">
        <StartFlow started={pages.again} />
      </Card>
      <Card
        flush
        aside={
          <Tabs
            label="Which flows"
            chosen={kind}
            choose={setKind}
            tabs={[
              ['all', 'All'],
              ['open', 'Under way', live.flows.open],
              ['parked', 'Parked', live.flows.parked],
              ['failed', 'Failed'],
              ['refused', 'Refused'],
              ['completed', 'Completed'],
            ]}
          />
        }
      >
        {mayOperate && (kind === 'open' || kind === 'parked') && live.flows[kind] > 0 ? (
          <ActsOnAll kind={kind} done={pages.again} />
        ) : null}
        <PagedList
          label="Flows"
          pages={pages}
          empty={
            <Empty title={kind === 'all' ? 'No flow has run yet.' : 'There are no such flows.'}>
              {kind === 'all' ? 'Start one above, or let a state ask for one when it is due.' : undefined}
            </Empty>
          }
          rowHeight={56}
          narrowHeight={82}
          keyOf={({ id }) => id}
          row={(flow) => (
            <>
              <span role="cell" class="when">
                {distance(flow.startedAt, nowMs)}
                <small>{shownInstant(flow.startedAt)}</small>
              </span>
              <span role="cell" class="condition">
                <Condition of={flow.status} />
              </span>
              <span role="cell" class="grow">
                <a href={linkTo('flow', flow.id)}>{flow.name}</a>
                <small>{told(flow)}</small>
              </span>
              <span role="cell" class="by">
                {origin(flow)}
              </span>
              <code role="cell" class="ref">
                {shownId(flow.id)}
              </code>
            </>
          )}
        />
      </Card>
    </>
  )
}

/** Where the error of a flow came from, with the errors that caused it. */
const Trace = ({ flow }: { readonly flow: FlowWithStory }) => {
  const tried = (flow.waiting ?? []).flatMap((wait) => ('error' in wait ? (wait.error ?? []) : []))
  const { stack, causes = [] } = flow.error ?? tried[0] ?? {}
  const parts = [
    ...(stack === undefined ? [] : [stack]),
    ...causes.map((cause) => `Caused by: ${cause.stack ?? `${cause.name}: ${cause.message}`}`),
  ]
  return parts.length === 0 ? null : (
    <details class="trace" open>
      <summary>Stack</summary>
      <pre>{parts.join('\n')}</pre>
    </details>
  )
}

/** What an operator can do about a flow that waits for one. */
const ParkedCard = ({ flow }: { readonly flow: FlowWithStory }) => (
  <Card title="What can be done">
    <p>
      It is parked, with {flow.record.length} recorded {flow.record.length === 1 ? 'operation' : 'operations'}. Nothing
      more happens until an operator acts.
    </p>
    <ul class="ways">
      <li>
        <b>Retry</b> once the cause is gone: it goes on from the last operation of its record, also with new code.
      </li>
      <li>
        <b>Cancel</b>: it undoes what its code says, and ends.
      </li>
      <li>
        <b>Kill</b>: it ends at once, and nothing is undone.
      </li>
    </ul>
    {flow.error === undefined || flow.error.code.includes('/') ? null : (
      <p>
        More about the error: <code>carillon explain {flow.error.code}</code>
      </p>
    )}
  </Card>
)

/** Why there is no operation in a record. */
const emptyRecord = ({ endedAt, status }: FlowWithStory) =>
  endedAt === undefined ? (
    <Empty title="No operation is recorded yet.">
      {status === 'parked' ? 'It was parked before its first one; a retry begins it anew.' : undefined}
    </Empty>
  ) : (
    <Empty title={status === 'completed' ? 'Completed in its first tick.' : 'It ended in its first tick.'}>
      A flow that ends in its first tick records no operations.
    </Empty>
  )

const Story = ({ flow }: { readonly flow: FlowWithStory }) => {
  let before: string | undefined
  return (
    <ol class="story">
      {flow.story.map((event) => {
        const gapMs = before === undefined ? 0 : Date.parse(event.at) - Date.parse(before)
        before = event.at
        return (
          <li key={event.revision} class={event.type}>
            <time>{clock(event.at)}</time>
            <div>
              {gapMs > 1_000 ? <span class="gap">{lateness(gapMs).replace(' late', ' later')}</span> : null}
              <b>{event.type.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()}</b>
              {readable(event.text.replace(flow.id.slice(0, 12), '').trim())
                .split('; ')
                .map((line, index) => (
                  <span key={index}>{line}</span>
                ))}
            </div>
          </li>
        )
      })}
    </ol>
  )
}

export const Flow = ({
  id,
  live,
  mayOperate,
}: {
  readonly id: string
  readonly live: Live
  readonly mayOperate: boolean
}) => {
  const asking = useAnswer(() => get<FlowWithStory>(`/flows/${encodeURIComponent(id)}`), id, live.head.revision)
  return (
    <Answered asking={asking}>
      {(flow) => {
        const { startedBy } = flow
        const act = (action: FlowAction) => () => operate({ on: 'flow', action, flow: flow.id })
        return (
          <>
            <h1>{flow.name}</h1>
            <Card
              title={`Flow ${shownId(flow.id)}`}
              aside={
                flow.endedAt !== undefined || !mayOperate ? null : (
                  <div class="acts">
                    {flow.status === 'parked' ? (
                      <Act label="Retry" weight="primary" act={act('retry')} done={asking.again} />
                    ) : null}
                    {flow.status === 'running' ? <Act label="Pause" act={act('pause')} done={asking.again} /> : null}
                    {flow.status === 'paused' ? <Act label="Resume" act={act('resume')} done={asking.again} /> : null}
                    <Act
                      label="Cancel"
                      confirm="It undoes what its code says, and ends."
                      act={act('cancel')}
                      done={asking.again}
                    />
                    <Act
                      label="Kill"
                      weight="danger"
                      confirm="It ends at once."
                      act={act('kill')}
                      done={asking.again}
                    />
                  </div>
                )
              }
            >
              <FactList
                facts={[
                  ['Status', <Condition key="status" of={flow.status} />],
                  ['Started', `${shownInstant(flow.startedAt)} by ${origin(flow)}`],
                  ...(startedBy.kind === 'activity'
                    ? ([
                        [
                          'Due',
                          <span key="due">
                            {shownInstant(startedBy.due)}, {lateness(startedBy.latenessMs)}, attempt {startedBy.attempt}
                            {causes[startedBy.cause] ?? ''}:{' '}
                            <a href={linkTo('state', wholeRef(startedBy.ref))}>its state</a>
                          </span>,
                        ],
                      ] as const)
                    : []),
                  ...(flow.endedAt === undefined ? [] : ([['Ended', shownInstant(flow.endedAt)]] as const)),
                  ...(flow.parent === undefined
                    ? []
                    : ([
                        [
                          'Parent',
                          <a key="parent" href={linkTo('flow', flow.parent)}>
                            {shownId(flow.parent)}
                          </a>,
                        ],
                      ] as const)),
                  ...(flow.continuedAs === undefined
                    ? []
                    : ([
                        [
                          'Continued as',
                          <a key="next" href={linkTo('flow', flow.continuedAs)}>
                            {shownId(flow.continuedAs)}
                          </a>,
                        ],
                      ] as const)),
                  ...(flow.signals.length === 0
                    ? []
                    : ([
                        ['Signals not taken', flow.signals.map(({ signal, by }) => `${signal} by ${by}`).join(', ')],
                      ] as const)),
                  ...(told(flow) === '' ? [] : ([[toldAs(flow), told(flow)]] as const)),
                ]}
              />
              <Trace flow={flow} />
            </Card>
            {flow.status === 'parked' ? <ParkedCard flow={flow} /> : null}
            {flow.children.length === 0 ? null : (
              <Card title="Children">
                <ul class="children">
                  {flow.children.map((child) => (
                    <li key={child.id}>
                      <a href={linkTo('flow', child.id)}>{child.name}</a> <code>{shownId(child.id)}</code>{' '}
                      <Condition of={child.status} />
                    </li>
                  ))}
                </ul>
              </Card>
            )}
            {flow.endedAt === undefined ? (
              <Card title="Send a signal">
                <SendSignal flow={flow} sent={asking.again} />
              </Card>
            ) : null}
            <div class="two">
              <Card title="Story">
                <Story flow={flow} />
              </Card>
              <Card title="Record">
                {flow.record.length === 0 ? (
                  emptyRecord(flow)
                ) : (
                  <ol class="record">
                    {flow.record.map((operation, index) => (
                      <li key={index}>
                        {readable(operation.label ?? operation.kind)}
                        {operation.part === undefined ? null : <span class="by"> part {operation.part}</span>}
                        {operation.error === undefined ? (
                          <code>{json(operation.result)}</code>
                        ) : (
                          <span class="broke">{operation.error.message}</span>
                        )}
                      </li>
                    ))}
                  </ol>
                )}
                <h3>Input</h3>
                <Data value={flow.input} />
              </Card>
            </div>
          </>
        )
      }}
    </Answered>
  )
}
