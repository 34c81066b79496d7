/**
 * The future of a log: the present is forked into memory and lives on there, on a virtual clock, with the app as it is
 * today. The log itself, and the world, notice nothing of it.
 */
import type { App } from '../../app/App.js'
import { Encoded } from '../../encoding/canonical.js'
import { CarillonError } from '../../errors/CarillonError.js'
import type { FlowId } from '../../log/FlowId.js'
import type { KeyPair } from '../../identity/KeyPair.js'
import { showRef } from '../../ledger/StateRef.js'
import type { TransactionBody } from '../../ledger/Transaction.js'
import { decodeEvent } from '../../log/decodeEvent.js'
import { endedAs, type EndedAs } from '../../log/endedAs.js'
import type { DomainEvent } from '../../log/events.js'
import type { EncodedTick } from '../../log/Tick.js'
import { EmbeddedStore } from '../../storage/EmbeddedStore.js'
import type { Node } from '../../node/Node.js'
import { startNode } from '../../node/startNode.js'
import { instantFromMillis, toMillis, type Instant } from '../../time/Instant.js'
import { VirtualClock } from '../../time/VirtualClock.js'
import type { VaultEntry } from '../../vault/VaultEntry.js'
import { NodeInspection } from '../NodeInspection.js'
import { openReplaySource, type ReplaySource } from '../replay/openReplaySource.js'
import { seededRandom } from '../seededRandom.js'
import { Assumptions, type StepAssumptions } from './Assumptions.js'

/** A state that a forecast transaction makes or uses up. */
export type ForecastState = { readonly ref: string; readonly type: string; readonly data: unknown }

/** A transaction that is to come. */
export type ForecastTransaction = {
  readonly at: Instant
  readonly commands: readonly { readonly type: string; readonly data: unknown }[]
  readonly consumes: readonly ForecastState[]
  readonly produces: readonly ForecastState[]
}

/** Money, or whatever else an app counts, that is to change hands. */
export type CashFlow = { readonly label: string; readonly amount: string; readonly unit: string }

/** Something that will run. */
export type ForecastEntry = {
  readonly at: Instant
  /** When it is due, for an activity. */
  readonly due?: Instant
  readonly flow: string
  readonly state?: string
  readonly outcome: EndedAs | 'missed' | 'parked' | 'open'
  readonly error?: string
  readonly transactions: readonly ForecastTransaction[]
  readonly cashFlows: readonly CashFlow[]
}

/** What is to come of a log, under stated assumptions. */
export type Forecast = {
  readonly from: Instant
  readonly until: Instant
  /** What was taken for granted, one sentence each. */
  readonly assumptions: readonly string[]
  /** What will run, in order. */
  readonly entries: readonly ForecastEntry[]
  /** The states that are unconsumed at the end. */
  readonly states: readonly VaultEntry[]
}

/** What a forecast needs beside the log. */
export type ForecastOptions = {
  readonly app: App
  /** Where the future begins. Default: at the last tick of the log. */
  readonly from?: Instant
  /** What steps are assumed to bring, by name. Default: what each brought last. */
  readonly steps?: StepAssumptions
  /** Reads the cash flows out of a transaction. Default: none are shown. */
  readonly cashFlows?: (transaction: ForecastTransaction) => readonly CashFlow[]
  /** Events after which the forecast stops: an app may have work for ever. Default 100,000. */
  readonly mostEvents?: number
  /** Called often while the log is read and while its future runs: with what, with how many events, up to when. */
  readonly onProgress?: (progress: ForecastProgress) => void
}

/** How far a forecast is: it reads the log first, and then runs what follows from it. */
export type ForecastProgress = {
  readonly doing: 'reading' | 'running'
  readonly events: number
  readonly at: Instant
}

/** Signs with nothing: what is forecast is never shown to anyone who would check. */
const keyOf = (publicKey: KeyPair['publicKey']): KeyPair => ({
  publicKey,
  sign: () => Buffer.alloc(64).toString('base64'),
  exportPrivate: () => {
    throw new CarillonError('signature-invalid', 'A forecast has no private key.')
  },
})

const fork = async (
  ticks: AsyncIterable<EncodedTick>,
  assumptions: Assumptions,
  onProgress: ForecastOptions['onProgress'],
): Promise<EmbeddedStore> => {
  const store = EmbeddedStore.inMemory()
  for await (const tick of ticks) {
    store.begin()
    tick.events.forEach((line, index) => {
      const event = decodeEvent(line, tick.firstRevision + index)
      assumptions.learn(event)
      store.views.fold(event, tick.firstRevision + index, toMillis(tick.at))
    })
    store.commit(tick)
    onProgress?.({ doing: 'reading', events: tick.firstRevision + tick.events.length, at: tick.at })
  }
  return store
}

const advance = async (node: Node, clock: VirtualClock, untilMs: number, isEnough: () => boolean): Promise<void> => {
  await node.idle()
  for (let next = clock.nextWakeMs(); next !== undefined && next <= untilMs; next = clock.nextWakeMs()) {
    if (isEnough()) return
    clock.setTo(Math.max(next, clock.now()))
    await new Promise((resolve) => setImmediate(resolve))
    await node.idle()
  }
  clock.setTo(untilMs)
}

type Draft = { -readonly [K in keyof ForecastEntry]: ForecastEntry[K] }

const bodyOf = (event: Extract<DomainEvent, { readonly type: 'TransactionRecorded' }>): TransactionBody =>
  event.body instanceof Encoded ? (JSON.parse(event.body.text) as TransactionBody) : event.body

/** Reads what happened after the fork. */
const entriesOf = async (
  store: EmbeddedStore,
  after: number,
  cashFlowsOf: NonNullable<ForecastOptions['cashFlows']>,
): Promise<readonly ForecastEntry[]> => {
  const known = new Map<string, ForecastState>()
  const entries: Draft[] = []
  const byFlow = new Map<string, Draft>()
  for (const { event, at, revision } of await new NodeInspection(store).log()) {
    if (event.type === 'TransactionRecorded') {
      const { inputs, outputs, commands } = bodyOf(event)
      const produces = outputs.map(({ type, data }, index) => ({ ref: `${event.id}:${index}`, type, data }))
      const consumes = inputs.flatMap((ref) => known.get(showRef(ref)) ?? [])
      for (const state of produces) known.set(state.ref, state)
      const entry = event.flow === undefined ? undefined : byFlow.get(event.flow)
      if (entry === undefined || revision <= after) continue
      const transaction = { at, commands, consumes, produces }
      entry.transactions = [...entry.transactions, transaction]
      entry.cashFlows = [...entry.cashFlows, ...cashFlowsOf(transaction)]
    }
    if (event.type === 'FlowStarted') {
      const { origin } = event
      const activity = origin.kind === 'activity' ? { due: origin.due, state: showRef(origin.ref) } : {}
      const entry: Draft = { at, flow: event.name, ...activity, outcome: 'open', transactions: [], cashFlows: [] }
      byFlow.set(event.flow, entry)
      if (revision > after) entries.push(entry)
    }
    if (event.type === 'FlowEnded' || event.type === 'FlowParked') {
      const entry = byFlow.get(event.flow)
      if (entry === undefined) continue
      entry.outcome = event.type === 'FlowParked' ? 'parked' : endedAs(event)
      if (event.error !== undefined) entry.error = event.error.message
      // A flow that was under way before the fork shows up when something comes of it.
      if (revision > after && !entries.includes(entry)) entries.push({ ...entry, at })
    }
    if ((event.type === 'ActivityMissed' || event.type === 'ActivityParked') && revision > after)
      entries.push({
        at,
        due: event.due,
        flow: '',
        state: showRef(event.ref),
        outcome: event.type === 'ActivityMissed' ? 'missed' : 'parked',
        transactions: [],
        cashFlows: [],
      })
  }
  return entries
}

/** Runs the future of a log until an instant: what will fire, what it will do, and what there will be then. */
export const forecast = async (source: ReplaySource, until: Instant, options: ForecastOptions): Promise<Forecast> => {
  const assumptions = new Assumptions(options.steps ?? {})
  const store = await fork(openReplaySource(source), assumptions, options.onProgress)
  const { partyName, partyKey, atMs } = store.views.facts.now
  if (partyName === null || partyKey === null)
    throw new CarillonError('import-invalid', 'The log is empty, so it has no future to be forecast.')
  const from = options.from ?? instantFromMillis(atMs)
  if (toMillis(until) < toMillis(from))
    throw new CarillonError('usage', `A forecast until ${until} would end before it begins, at ${from}.`)
  const after = store.head().revision
  const clock = new VirtualClock(from)
  const running: { node?: Node } = {}
  const app = assumptions.answerSteps(options.app, async (flow) =>
    running.node?.pauseFlow(flow as FlowId, { by: 'forecast' }),
  )
  const node = await startNode({
    app,
    store,
    party: partyName,
    key: keyOf(partyKey as KeyPair['publicKey']),
    clock,
    random: seededRandom('forecast'),
  })
  running.node = node
  if (node.isDraining) assumptions.state('The node drains, so nothing new is started.')
  const mostEvents = options.mostEvents ?? 100_000
  const isEnough = (): boolean => {
    const events = store.head().revision - after
    options.onProgress?.({ doing: 'running', events, at: clock.instant })
    return events > mostEvents
  }
  await advance(node, clock, toMillis(until), isEnough)
  await node.idle()
  if (isEnough())
    assumptions.state(`More than ${mostEvents} events are to come: the forecast ends at ${clock.instant}.`)
  const inspection = new NodeInspection(store)
  const waiting = inspection
    .flows({ status: 'open', limit: 1_000 })
    .items.filter(({ waiting }) => waiting?.some((wait) => wait.for === 'message'))
  if (waiting.length > 0)
    assumptions.state(`${waiting.length} flows wait for other parties, who are not part of the forecast.`)
  const entries = await entriesOf(store, after, options.cashFlows ?? (() => []))
  const states = inspection.vault({ limit: 1_000 }).items
  await node.crash()
  return { from, until, assumptions: assumptions.stated, entries, states }
}
