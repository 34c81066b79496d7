/**
 * `carillon flow`: the flows of a store, and what an operator may do to one.
 */
import { Option, type Command } from 'commander'
import type * as t from 'io-ts'
import { CarillonError } from '../../errors/CarillonError.js'
import { outcomeOfEnd } from '../../flow/FlowEnd.js'
import { showOrigin, type FlowDetails, type FlowQuery, type FlowSummary } from '../../flow/FlowSummary.js'
import {
  FlowDefinitionC,
  FlowDetailsC,
  FlowSummaryC,
  HangingStepC,
  OperatedFlowsC,
  SignalDefinitionC,
} from '../../http/answers.js'
import { actionsOf, FlowActionC, type FlowAction } from '../../operator/OperatorRequest.js'
import type { RecordedOperation, Waiting, Waits } from '../../log/events.js'
import { localCaller } from '../../log/FlowId.js'
import { ExitCode, refusedExitCode } from '../ExitCode.js'
import { carryOutAndSay } from '../carryOutAndSay.js'
import { flowNamed, flowPath } from '../named.js'
import { NodeApi, type NodePlace } from '../NodeApi.js'
import { listVerb, type PageOptions } from '../pages.js'
import { printJson, printRecord, printTable, printTrace, type Fact } from '../print.js'
import { readJsonText } from '../readJsonText.js'
import type { PrintedColumn } from '../table.js'
import { printable, type Terminal } from '../Terminal.js'
import { apiVerb, verbGroup, type ApiOptions } from '../verb.js'
import { shortId, shortRef, showDistance, showInstant, showJson, showLateness, toneOfStatus } from '../words.js'

const statuses = [
  'open',
  'troubled',
  'attention',
  'running',
  'paused',
  'parked',
  'completed',
  'refused',
  'failed',
  'killed',
  'superseded',
  'continued',
]

const showWait = (waiting: Waiting): string => {
  switch (waiting.for) {
    case 'instant':
      return `until ${showInstant(waiting.until)}`
    case 'step': {
      const { label = waiting.kind, retryAt, attempt } = waiting
      return retryAt === undefined ? `for ${label}, try ${attempt}` : `to try ${label} again at ${showInstant(retryAt)}`
    }
    case 'message':
    case 'state':
    case 'consumption':
    case 'signal':
    case 'flow':
    case 'transaction': {
      const { label = waiting.kind, until } = waiting
      const what = label.startsWith('wait ') ? label.slice('wait '.length) : `to ${label}`
      return `${what}${until === undefined ? '' : `, until ${showInstant(until)} at most`}`
    }
    case 'cancel':
      return `to clean up, because ${waiting.by} cancelled it, until ${showInstant(waiting.until)} at most`
    case 'turn':
      return waiting.retryAt === undefined
        ? 'for its turn'
        : `to be tried again at ${showInstant(waiting.retryAt)}, after: ${waiting.error?.message ?? ''}`
  }
}

/** Everything a flow waits for, with the part that waits where it is not the flow itself. */
const showWaits = (waits: Waits): string =>
  waits
    .map((waiting) => `${showWait(waiting)}${waiting.part === undefined ? '' : ` (part ${waiting.part})`}`)
    .join(', or ')

const outcomeOf = ({ error, waiting, progress, result, refusal, endedAt }: FlowSummary): string => {
  if (error !== undefined) return `${error.code}: ${error.message}`
  if (endedAt !== undefined) return showJson(result ?? refusal)
  return [progress, waiting === undefined ? undefined : `waits ${showWaits(waiting)}`]
    .filter((part) => part !== undefined)
    .join(', ')
}

const originOf = (startedBy: FlowSummary['startedBy']): string => {
  switch (startedBy.kind) {
    case 'client':
      return startedBy.by
    case 'session':
      return `session ${startedBy.session.slice(0, 8)}`
    case 'activity':
      return shortRef(startedBy.ref)
    case 'flow':
      return `flow ${startedBy.flow.slice(0, 12)}`
    case 'continued':
      return `flow ${startedBy.from.slice(0, 12)}, continued`
  }
}

const columnsAt = (nowMs: number): readonly PrintedColumn<FlowSummary>[] => [
  { header: 'STARTED', cell: ({ startedAt }) => showDistance(startedAt, nowMs), align: 'right' },
  { header: 'FLOW', cell: ({ id }) => shortId(id), tone: () => 'cyan' },
  { header: 'NAME', cell: ({ name }) => name, flexible: true },
  { header: 'STATUS', cell: ({ status }) => status, tone: ({ status }) => toneOfStatus(status) },
  {
    header: 'STARTED BY',
    cell: ({ startedBy }) => originOf(startedBy),
    flexible: true,
  },
  { header: '', cell: outcomeOf, flexible: true },
]

type MatchingOptions = Pick<FlowQuery, 'status' | 'name' | 'parent'>

const matchingOptions = (): readonly Option[] => [
  new Option('--status <status>', 'only flows in this condition').choices(statuses),
  new Option('--name <name>', 'only flows of this name'),
  new Option('--parent <id>', 'only the children of this flow, by its whole id'),
]

type ListOptions = ApiOptions & PageOptions & MatchingOptions

const list = (real: Terminal): Command =>
  listVerb(real, ['list', 'list flows, newest first', ['flow list', 'flow list --status troubled']], {
    path: '/flows',
    query: ({ status, name, parent }: ListOptions) => ({ status, name, parent }),
    item: FlowSummaryC,
    columns: columnsAt,
    empty: 'No such flows.',
    options: matchingOptions(),
  })

/** The part that asked has a column only in a flow that has parts. */
const operationColumns = (
  hasParts: boolean,
): readonly PrintedColumn<RecordedOperation & { readonly position: number }>[] => [
  { header: '#', cell: ({ position }) => String(position), align: 'right' },
  ...(hasParts ? [{ header: 'PART', cell: ({ part }: RecordedOperation) => part ?? '' }] : []),
  { header: 'OPERATION', cell: ({ kind }) => kind },
  { header: 'WHAT', cell: ({ label }) => label ?? '', flexible: true },
  {
    header: 'ANSWER',
    cell: ({ result, error }) => (error === undefined ? showJson(result) : `${error.code}: ${error.message}`),
    tone: ({ error }) => (error === undefined ? undefined : 'red'),
    flexible: true,
  },
]

const troubleColumns: readonly PrintedColumn<FlowDetails['troubles'][number]>[] = [
  { header: 'AT', cell: ({ at }) => showInstant(at) },
  { header: 'TROUBLE', cell: ({ what, by }) => (by === undefined ? what : `${what} by ${by}`) },
  { header: 'NEXT TRY', cell: ({ retryAt }) => (retryAt === undefined ? '' : showInstant(retryAt)) },
  {
    header: 'WHY',
    cell: ({ error }) => (error === undefined ? '' : `${error.code}: ${error.message}`),
    tone: () => 'red',
    flexible: true,
  },
]

const childColumns: readonly PrintedColumn<FlowDetails['children'][number]>[] = [
  { header: 'CHILD', cell: ({ id }) => shortId(id), tone: () => 'cyan' },
  { header: 'NAME', cell: ({ name }) => name, flexible: true },
  { header: 'STATUS', cell: ({ status }) => status, tone: ({ status }) => toneOfStatus(status) },
  { header: 'WHEN THE PARENT ENDS', cell: ({ whenParentEnds }) => whenParentEnds },
]

const describe = (flow: FlowDetails): readonly Fact[] => {
  const { startedBy, waiting, error, endedAt } = flow
  return [
    ['status', flow.status],
    ['started', `${showInstant(flow.startedAt)} by ${showOrigin(flow)}`],
    [
      'due',
      startedBy.kind === 'activity'
        ? `${showInstant(startedBy.due)}, ${showLateness(startedBy.latenessMs)}, attempt ${startedBy.attempt} (${startedBy.cause})`
        : undefined,
    ],
    [
      'client id',
      startedBy.kind === 'client' && startedBy.clientId !== undefined
        ? `${startedBy.caller ?? localCaller}:${startedBy.clientId}`
        : undefined,
    ],
    ['ended', endedAt && showInstant(endedAt)],
    ['parent', flow.parent],
    ['continued as', flow.continuedAs],
    ['input', showJson(flow.input)],
    ['progress', flow.progress],
    ['waits', waiting === undefined || endedAt !== undefined ? undefined : showWaits(waiting)],
    [
      'signals',
      flow.signals.length === 0
        ? undefined
        : flow.signals.map(({ signal: name, by }) => `${name} by ${by}`).join(', ') + ', not taken yet',
    ],
    ['result', flow.result === undefined ? undefined : showJson(flow.result)],
    ['refusal', flow.refusal === undefined ? undefined : showJson(flow.refusal)],
    ['error', error && `${error.code}: ${error.message}`],
  ]
}

/** What may stand for a flow on the command line. */
const flowArgument = 'a flow id, its first digits, or caller:client-id as in local:order-17'

const flowOf = (place: NodePlace, text: string): Promise<FlowDetails> =>
  NodeApi.at(place).get(flowPath(text), { story: 'false' }, FlowDetailsC)

const show = (terminal: Terminal): Command =>
  apiVerb('show', 'show one flow with its record', ['flow show 8c41d0'])
    .argument('<id>', flowArgument)
    .action(async (text: string, { json, ...place }: ApiOptions) => {
      const flow = await flowOf(place, text)
      if (printJson(terminal, json, flow)) return
      printRecord(terminal, `${flow.name} ${flow.id}`, describe(flow))
      printTrace(
        terminal,
        flow.error ?? flow.waiting?.flatMap((waiting) => ('error' in waiting ? (waiting.error ?? []) : []))[0],
      )
      if (flow.troubles.length > 0) {
        terminal.out('')
        printTable(terminal, troubleColumns, flow.troubles)
      }
      if (flow.children.length > 0) {
        terminal.out('')
        printTable(terminal, childColumns, flow.children)
      }
      if (flow.record.length === 0) return
      terminal.out('')
      const rows = flow.record.map((operation, index) => ({ ...operation, position: index + 1 }))
      printTable(terminal, operationColumns(rows.some(({ part }) => part !== undefined)), rows)
    })

const watchEveryMs = 500

/** What a line of `flow watch` says; another line follows when it changes. */
const standingOf = (flow: FlowDetails): string => {
  const done = `${flow.record.length} ${flow.record.length === 1 ? 'operation' : 'operations'}`
  return [flow.status.padEnd(10), done.padEnd(14), outcomeOf(flow)].join(' ').trimEnd()
}

const watch = (terminal: Terminal): Command =>
  apiVerb('watch', 'follow one flow until it ends, a line for every change', ['flow watch 8c41d0'], 'print JSON lines')
    .argument('<id>', flowArgument)
    .action(async (text: string, { json, ...place }: ApiOptions) => {
      const id = await flowNamed(place, text)
      for (let last = ''; ;) {
        const flow = await flowOf(place, id)
        const standing = standingOf(flow)
        if (standing !== last && !printJson(terminal, json, flow)) terminal.out(printable(standing))
        last = standing
        if (flow.endedAt !== undefined) return
        await new Promise((resolve) => setTimeout(resolve, watchEveryMs))
      }
    })

const result = (terminal: Terminal): Command =>
  apiVerb('result', 'wait for a flow to end, and print what it returned; exit code 3 when it refused', [
    'flow result 8c41d0',
  ])
    .argument('<id>', flowArgument)
    .action(async (text: string, { json, ...place }: ApiOptions) => {
      const { id: flow, status, result: returned, refusal, error } = await flowOf(place, text)
      const textOf = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value))
      // What has ended can be told without a node; what has not needs one to go on.
      const ended = outcomeOfEnd(flow, { status, result: textOf(returned ?? refusal), error: textOf(error) })
      const outcome = ended ?? (await NodeApi.at(place).client.outcomeOf(flow))
      if (outcome.kind === 'refused') {
        if (!printJson(terminal, json, { flow, refusal: outcome.refusal }))
          terminal.out(printable(showJson(outcome.refusal)))
        throw new ExitCode(refusedExitCode)
      }
      const found = outcome.result ?? null
      if (!printJson(terminal, json, { flow, result: found })) terminal.out(printable(showJson(found)))
    })

type Definition = t.TypeOf<typeof FlowDefinitionC>

/** The members of an input, as a person would name them: `text, inSeconds?`. */
const membersOf = ({ input }: Definition): string => {
  const { properties, required } = input
  const needed: ReadonlySet<unknown> = new Set(Array.isArray(required) ? required : [])
  return Object.keys(Object(properties) as object)
    .map((name) => (needed.has(name) ? name : `${name}?`))
    .join(', ')
}

const definitionColumns: readonly PrintedColumn<Definition>[] = [
  { header: 'FLOW', cell: ({ name }) => name, tone: () => 'cyan', flexible: true },
  { header: 'VERSION', cell: ({ version }) => String(version), align: 'right' },
  { header: 'SCHEDULABLE', cell: ({ schedulable }) => (schedulable ? 'yes' : '') },
  { header: 'INPUT', cell: membersOf, flexible: true },
]

const definitions = (terminal: Terminal): Command =>
  listVerb(
    terminal,
    [
      'definitions',
      'list the flows of the running app that can be started, with their input',
      ['flow definitions', 'flow definitions --json | jq .input'],
    ],
    {
      path: '/flows/definitions',
      item: FlowDefinitionC,
      columns: () => definitionColumns,
      empty: 'The app has no flows.',
      isWhole: true,
    },
  )

type Hanging = t.TypeOf<typeof HangingStepC>

const hangingColumns = (nowMs: number): readonly PrintedColumn<Hanging>[] => [
  { header: 'SINCE', cell: ({ since }) => showDistance(since, nowMs), align: 'right' },
  { header: 'FLOW', cell: ({ flow }) => shortId(flow), tone: () => 'cyan' },
  { header: 'NAME', cell: ({ flowName }) => flowName, flexible: true },
  { header: 'STEP', cell: ({ step }) => step, flexible: true },
  { header: 'TRY', cell: ({ attempt }) => String(attempt), align: 'right' },
]

const hanging = (terminal: Terminal): Command =>
  listVerb(
    terminal,
    [
      'hanging',
      'list steps of the running node that have been under way for long, and hold up their flows',
      ['flow hanging'],
    ],
    { path: '/flows/hanging', item: HangingStepC, columns: hangingColumns, empty: 'No step hangs.', isWhole: true },
  )

/** How an action is asked for on the command line, and what is said when it is done. */
const words: Readonly<Record<FlowAction, { readonly summary: string; readonly did: string }>> = {
  retry: { summary: 'let a parked flow go on from its record', did: 'is retried' },
  cancel: { summary: 'let a flow undo what it has done and end; a second time, kill it', did: 'is cancelled' },
  kill: { summary: 'end a flow at once; what it has recorded on the ledger stays', did: 'is killed' },
  pause: { summary: 'hold a running flow where it is', did: 'is paused' },
  resume: { summary: 'let a paused flow go on', did: 'is resumed' },
  dismiss: { summary: 'take an ended flow off the list of what needs attention', did: 'is dismissed' },
}

type ActOptions = ApiOptions & MatchingOptions & { readonly all?: true }

/** Acts on all flows that match, and says how many there were and which of them refused. */
const actOnAll = async (terminal: Terminal, action: FlowAction, options: ActOptions): Promise<void> => {
  const { status, name, parent } = options
  const given = Object.entries({ status, name, parent }).filter(([, value]) => value !== undefined)
  const body = { action, ...Object.fromEntries(given) }
  const found = await NodeApi.at(options).post('/operate/flows', body, OperatedFlowsC)
  if (printJson(terminal, options.json, { action, ...found })) return
  const flows = (count: number): string => (count === 1 ? '1 flow' : `${count} flows`)
  terminal.out(`${flows(found.done)} ${words[action].did.replace(/^is/, found.done === 1 ? 'is' : 'are')}.`)
  if (found.refused > 0) terminal.out(`${flows(found.refused)} refused it:`)
  for (const { flow, error } of found.refusals) terminal.out(printable(`  ${shortId(flow)}  ${error.message}`))
}

const act = (terminal: Terminal, action: FlowAction): Command =>
  matchingOptions()
    .reduce(
      (verb, option) => verb.addOption(option),
      apiVerb(action, words[action].summary, [`flow ${action} 8c41d0`, `flow ${action} --all --name orders/Fulfil`])
        .argument('[id]', flowArgument)
        .addOption(new Option('--all', 'all flows it is for, as far as they match the options below')),
    )
    .action(async (text: string | undefined, options: ActOptions) => {
      const { all = false, status, name, parent } = options
      const narrows = [status, name, parent].some((value) => value !== undefined)
      if (all === (text !== undefined) || (!all && narrows))
        throw new CarillonError(
          'usage',
          `Name one flow, or say --all, perhaps with --status, --name or --parent: carillon flow ${action} <id>, or carillon flow ${action} --all --name <name>.`,
        )
      if (text === undefined) {
        await actOnAll(terminal, action, options)
        return
      }
      const flow = await flowNamed(options, text)
      await carryOutAndSay(terminal, options, {
        request: { on: 'flow', action, flow },
        did: `Flow ${flow} ${words[action].did}.`,
        look: `flow show ${shortId(flow)}`,
        data: { flow, action },
      })
    })

type SignalOptions = ApiOptions & { readonly client?: true; readonly id?: string }

const signal = (terminal: Terminal): Command =>
  apiVerb('signal', 'send a signal to a flow', [
    `flow signal 8c41d0 orders/Approve '{"level":2}'`,
    'flow signal order-17 orders/Approve - --client --id approval-3 < approval.json',
  ])
    .argument('<id>', 'a flow id, or its first digits; with --client, the client id it was started with')
    .argument('<signal-name>', 'the name of the signal')
    .argument('[json-data]', 'what it says; - reads it from stdin', '{}')
    .addOption(new Option('--client', 'the flow is named by the client id it was started with'))
    .addOption(new Option('--id <id>', 'send it once, however often this is repeated with the same id'))
    .action(async (text: string, name: string, given: string, { client, id, ...options }: SignalOptions) => {
      const data = readJsonText(given, 'What the signal says')
      const to = client === true ? { clientId: text } : await flowNamed(options, text)
      await NodeApi.at(options).client.signal(to, name, data, id === undefined ? {} : { id })
      if (printJson(terminal, options.json, { to, signal: name })) return
      terminal.out(printable(`Signal ${name} was sent to flow ${text}.`))
    })

type Sendable = t.TypeOf<typeof SignalDefinitionC>

const signalColumns: readonly PrintedColumn<Sendable>[] = [
  { header: 'SIGNAL', cell: ({ name }) => name, tone: () => 'cyan', flexible: true },
  { header: 'MAY SEND', cell: ({ maySend }) => (maySend ? 'yes' : 'no') },
  { header: 'EXAMPLE', cell: ({ example }) => showJson(example), flexible: true },
]

const signals = (terminal: Terminal): Command =>
  listVerb(
    terminal,
    ['signals', 'list the signals of the running app, with an example of what they say', ['flow signals']],
    {
      path: '/signals',
      item: SignalDefinitionC,
      columns: () => signalColumns,
      empty: 'The app has no signals.',
      isWhole: true,
    },
  )

export const flowVerb = (terminal: Terminal): Command =>
  verbGroup(
    'flow',
    'list, show, watch and signal flows; retry, cancel, kill, pause, resume or dismiss one or all that match',
    [
      list(terminal),
      show(terminal),
      watch(terminal),
      result(terminal),
      definitions(terminal),
      hanging(terminal),
      signal(terminal),
      signals(terminal),
      ...actionsOf(FlowActionC).map((action) => act(terminal, action)),
    ],
  )
