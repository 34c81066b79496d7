/**
 * `carillon flow`: the flows of a store, and what an operator may do to one.
 */
import { Option, type Command } from 'commander'
import type * as t from 'io-ts'
import { CarillonError } from '../../errors/CarillonError.js'
import { findFlow, findFlowEnd, listFlows, resolveFlowId } from '../../storage/queries/readFlows.js'
import { showOrigin, type FlowDetails, type FlowQuery, type FlowSummary } from '../../flow/FlowSummary.js'
import { resultOfEnd } from '../../flow/FlowEnd.js'
import { FlowDefinitionsC } from '../../http/answers.js'
import { actionsOf, FlowActionC, type FlowAction } from '../../operator/OperatorRequest.js'
import type { RecordedOperation, Waiting, Waits } from '../../log/events.js'
import { readStore } from '../../folder/readStore.js'
import { NodeApi } from '../NodeApi.js'
import { nowOf } from '../nowOf.js'
import { operate } from '../operate.js'
import { afterOption, gather, limitOption, sayMore, type PageOptions } from '../pages.js'
import { sayDone } from '../sayDone.js'
import { table, type Column } from '../table.js'
import { printable, type Terminal } from '../Terminal.js'
import { apiVerb, storeHint, verb, verbGroup, type ApiOptions, type StoreOptions } from '../verb.js'
import { watching, watchOption } from '../watching.js'
import { shortId, shortRef, showDistance, showInstant, showJson, showLateness, toneOfStatus } from '../words.js'
import { factLines, printJson, printList, printTable, type Fact } from '../print.js'

type ListOptions = StoreOptions & PageOptions & { readonly status?: FlowQuery['status']; readonly name?: string }

const statuses = ['open', 'troubled', 'running', 'paused', 'parked', 'completed', 'failed', 'killed', 'superseded']

const showWait = (waiting: Waiting): string => {
  switch (waiting.for) {
    case 'instant':
      return `until ${showInstant(waiting.until)}`
    case 'step': {
      const { label = waiting.kind, retryAt, attempt } = waiting
      return retryAt === undefined ? `for ${label}, try ${attempt}` : `to try ${label} again at ${showInstant(retryAt)}`
    }
    case 'message':
      return `to ${waiting.label ?? waiting.kind}`
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

const outcomeOf = ({ error, waiting, progress, result, endedAt }: FlowSummary): string => {
  if (error !== undefined) return `${error.code}: ${error.message}`
  if (endedAt !== undefined) return showJson(result)
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
  }
}

const columnsAt = (nowMs: number): readonly Column<FlowSummary>[] => [
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

const list = (real: Terminal): Command =>
  verb(
    'list',
    'list flows, newest first',
    ['flow list', 'flow list --status troubled'],
    'print one JSON document a line',
  )
    .addOption(new Option('--status <status>', 'only flows in this condition').choices(statuses))
    .addOption(new Option('--name <name>', 'only flows of this name'))
    .addOption(limitOption())
    .addOption(afterOption())
    .addOption(watchOption())
    .action(
      watching(real, (terminal) => async ({ store, json, status, name, ...page }: ListOptions) => {
        const wanted = { ...(status === undefined ? {} : { status }), ...(name === undefined ? {} : { name }) }
        const found = readStore(store, (db) => gather(page, (query) => listFlows(db, { ...query, ...wanted })))
        await printList(terminal, json, {
          rows: found.items,
          columns: async () => columnsAt(await nowOf(store)),
          empty: 'No such flows.',
        })
        sayMore(terminal, found)
      }),
    )

/** The part that asked has a column only in a flow that has parts. */
const operationColumns = (hasParts: boolean): readonly Column<RecordedOperation & { readonly position: number }>[] => [
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

const troubleColumns: readonly Column<FlowDetails['troubles'][number]>[] = [
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
    ['ended', endedAt && showInstant(endedAt)],
    ['input', showJson(flow.input)],
    ['progress', flow.progress],
    ['waits', waiting === undefined || endedAt !== undefined ? undefined : showWaits(waiting)],
    ['result', flow.result === undefined ? undefined : showJson(flow.result)],
    ['error', error && `${error.code}: ${error.message}`],
  ]
}

const show = (terminal: Terminal): Command =>
  verb('show', 'show one flow with its record', ['flow show 8c41d0'])
    .argument('<id>', 'a flow id, or its first digits')
    .action((text: string, { store, json }: StoreOptions) => {
      const flow = readStore(store, (db) => {
        const id = resolveFlowId(db, text)
        const found = findFlow(db, id)
        if (found === undefined) throw new CarillonError('flow-not-found', `There is no flow ${id}.`, { flow: id })
        return found
      })
      if (printJson(terminal, json, flow)) return
      terminal.out(terminal.tone('bold', printable(`${flow.name} ${flow.id}`)))
      for (const line of factLines(terminal, describe(flow), { width: 9, indent: '  ' })) terminal.out(line)
      if (flow.troubles.length > 0) {
        terminal.out('')
        printTable(terminal, troubleColumns, flow.troubles)
      }
      if (flow.record.length === 0) return
      terminal.out('')
      const rows = flow.record.map((operation, index) => ({ ...operation, position: index + 1 }))
      for (const line of table(operationColumns(rows.some(({ part }) => part !== undefined)), rows, terminal))
        terminal.out(line)
    })

const watchEveryMs = 500

/** What a line of `flow watch` says; another line follows when it changes. */
const standingOf = (flow: FlowDetails): string => {
  const done = `${flow.record.length} ${flow.record.length === 1 ? 'operation' : 'operations'}`
  return [flow.status.padEnd(10), done.padEnd(14), outcomeOf(flow)].join(' ').trimEnd()
}

const watch = (terminal: Terminal): Command =>
  verb('watch', 'follow one flow until it ends, a line for every change', ['flow watch 8c41d0'], 'print JSON lines')
    .argument('<id>', 'a flow id, or its first digits')
    .action(async (text: string, { store, json }: StoreOptions) => {
      const id = readStore(store, (db) => resolveFlowId(db, text))
      for (let last = ''; ;) {
        const flow = readStore(store, (db) => findFlow(db, id))
        if (flow === undefined) throw new CarillonError('flow-not-found', `There is no flow ${id}.`, { flow: id })
        const standing = standingOf(flow)
        if (standing !== last) terminal.out(json === true ? JSON.stringify(flow) : printable(standing))
        last = standing
        if (flow.endedAt !== undefined) return
        await new Promise((resolve) => setTimeout(resolve, watchEveryMs))
      }
    })

const result = (terminal: Terminal): Command =>
  verb('result', 'wait for a flow to end, and print what it returned', ['flow result 8c41d0'])
    .argument('<id>', 'a flow id, or its first digits')
    .action(async (text: string, { store, json }: StoreOptions) => {
      const id = readStore(store, (db) => resolveFlowId(db, text))
      // What has ended can be told without a node; what has not needs one to go on.
      const known = readStore(store, (db) => findFlowEnd(db, id))
      const ended = known === undefined ? undefined : resultOfEnd(id, known)
      const returned = ended === undefined ? await NodeApi.at({ store }).result(id) : (ended.result ?? null)
      terminal.out(json === true ? JSON.stringify({ flow: id, result: returned }) : printable(showJson(returned)))
    })

type Definition = t.TypeOf<typeof FlowDefinitionsC>['items'][number]

/** The members of an input, as a person would name them: `text, inSeconds?`. */
const membersOf = ({ input }: Definition): string => {
  const { properties, required } = input
  const needed: ReadonlySet<unknown> = new Set(Array.isArray(required) ? required : [])
  return Object.keys(Object(properties) as object)
    .map((name) => (needed.has(name) ? name : `${name}?`))
    .join(', ')
}

const definitionColumns: readonly Column<Definition>[] = [
  { header: 'FLOW', cell: ({ name }) => name, tone: () => 'cyan', flexible: true },
  { header: 'VERSION', cell: ({ version }) => String(version), align: 'right' },
  { header: 'SCHEDULABLE', cell: ({ schedulable }) => (schedulable ? 'yes' : '') },
  { header: 'INPUT', cell: membersOf, flexible: true },
]

const definitions = (terminal: Terminal): Command =>
  apiVerb(
    'definitions',
    'list the flows of the running app that can be started, with their input',
    ['flow definitions', 'flow definitions --json | jq .input'],
    'print one JSON document a line',
  ).action(async ({ json, ...place }: ApiOptions) => {
    const { items } = await NodeApi.at(place).get('/flows/definitions', {}, FlowDefinitionsC)
    if (json === true) for (const definition of items) terminal.out(JSON.stringify(definition))
    else printTable(terminal, definitionColumns, items)
  })

/** How an action is asked for on the command line, and what is said when it is done. */
const words: Readonly<Record<FlowAction, { readonly summary: string; readonly did: string }>> = {
  retry: { summary: 'let a parked flow go on from its record', did: 'is retried' },
  kill: { summary: 'end a flow at once; what it has recorded on the ledger stays', did: 'is killed' },
  pause: { summary: 'hold a running flow where it is', did: 'is paused' },
  resume: { summary: 'let a paused flow go on', did: 'is resumed' },
}

const act = (terminal: Terminal, action: FlowAction): Command =>
  verb(action, words[action].summary, [`flow ${action} 8c41d0`])
    .argument('<id>', 'a flow id, or its first digits')
    .action(async (text: string, { store, json }: StoreOptions) => {
      const flow = readStore(store, (db) => resolveFlowId(db, text))
      const by = await operate(store, { on: 'flow', action, flow })
      sayDone(terminal, json, {
        did: `Flow ${flow} ${words[action].did}.`,
        by,
        look: `carillon flow show ${shortId(flow)}${storeHint(store)}`,
        data: { flow, action },
      })
    })

export const flow = (terminal: Terminal): Command =>
  verbGroup('flow', 'list, show and watch flows; retry, kill, pause or resume one', [
    list(terminal),
    show(terminal),
    watch(terminal),
    result(terminal),
    definitions(terminal),
    ...actionsOf(FlowActionC).map((action) => act(terminal, action)),
  ])
