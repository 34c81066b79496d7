/**
 * Writes what events say about flows. A message that a flow waits for makes the flow ready at once.
 */
import { canonicalText } from '../encoding/canonical.js'
import { assertInvariant } from '../errors/CarillonError.js'
import { endedAs } from '../log/endedAs.js'
import type { DomainEvent, EventOf, FlowOrigin, Waiting, Waits } from '../log/events.js'
import type { FlowId } from '../log/FlowId.js'
import { toMillis, type Instant } from '../time/Instant.js'
import type { VaultRead } from '../vault/VaultTables.js'
import { cancelOf, keepCancel, waitsOfCancelled } from './cancelFlow.js'
import { hasEnded, type FlowDraft } from './FlowRow.js'
import type { FlowTables } from './FlowTables.js'
import { isHoldRefusal } from './heldState.js'
import type { TroubleRow } from './TroubleRow.js'
import { countStepsUnderWay, readWaits, readySinceMs, resumeMsOf, waitsAfter, waitsOf, wakeMsOf } from './waiting.js'
import { keyOfFlow, waitKeysOf } from './WaitKey.js'
import { wakeAt, wakeForReassessed } from './wakeWaiting.js'

/** The tables of flows, and the states whose activities start them. */
export type FlowEvolution = FlowTables & Pick<VaultRead, 'states'>

export type FlowEvent = Extract<
  DomainEvent,
  { readonly type: `Flow${string}` | `Signal${string}` | 'MessageReceived' | 'StateReassessed' }
>

type Family = Pick<FlowDraft, 'clientId' | 'startedBy' | 'wakeMs'>

/** Of a flow that another flow has started: the engine gives it its first turn, like one that is woken. */
const startChild = (
  { flows, children }: FlowTables,
  { flow, whenParentEnds }: Extract<FlowOrigin, { readonly kind: 'flow' }>,
  atMs: number,
): Family => {
  const parentSeq = flows.locate(flow)
  assertInvariant(parentSeq !== undefined, `a child was started by the unknown flow ${flow}`)
  const depth = children.depthOf(parentSeq) + 1
  children.insert({ childSeq: flows.nextSeq, parentSeq, startedBySeq: parentSeq, depth, whenParentEnds })
  return { clientId: null, startedBy: `flow:${flow}`, wakeMs: atMs }
}

/** Of a flow that another one continues as: it has the place of that one, among clients, parents and children. */
const startContinuation = (
  { flows, children }: FlowTables,
  { from }: Extract<FlowOrigin, { readonly kind: 'continued' }>,
  atMs: number,
): Family => {
  const before = flows.find(from as FlowId)
  assertInvariant(before !== undefined, `the unknown flow ${from} has continued as another`)
  const link = children.of(before.seq)
  if (link !== undefined) children.insert({ ...link, childSeq: flows.nextSeq })
  children.continueAs(before.seq, flows.nextSeq)
  return { clientId: before.clientId, startedBy: before.startedBy, wakeMs: atMs }
}

const familyOf = (tables: FlowTables, origin: FlowOrigin, atMs: number): Family => {
  switch (origin.kind) {
    case 'client':
      return { clientId: origin.clientId ?? null, startedBy: origin.by, wakeMs: null }
    case 'session':
      return { clientId: null, startedBy: origin.party, wakeMs: null }
    case 'activity':
      return { clientId: null, startedBy: null, wakeMs: null }
    case 'flow':
      return startChild(tables, origin, atMs)
    case 'continued':
      return startContinuation(tables, origin, atMs)
  }
}

const start = (tables: FlowEvolution, event: EventOf<'FlowStarted'>, revision: number, atMs: number): void => {
  const { origin } = event
  const activity = origin.kind === 'activity' ? origin : undefined
  const state = activity === undefined ? undefined : tables.states.find(activity.ref)
  assertInvariant(activity === undefined || state !== undefined, `flow ${event.flow} was started by an unknown state`)
  const seq = tables.flows.nextSeq
  if (origin.kind === 'client' && origin.caller !== undefined) tables.callers.insert(seq, origin.caller)
  const { clientId, startedBy, wakeMs } = familyOf(tables, origin, atMs)
  tables.flows.insert({
    seq,
    id: event.flow as FlowId,
    name: event.name,
    version: event.version,
    input: canonicalText(event.input),
    startedMs: atMs,
    fromRevision: revision,
    stateSeq: state?.seq ?? null,
    dueMs: activity === undefined ? null : toMillis(activity.due),
    attempt: activity?.attempt ?? null,
    latenessMs: activity?.latenessMs ?? null,
    cause: activity?.cause ?? null,
    clientId,
    startedBy,
    session: origin.kind === 'session' ? origin.session : null,
    status: 'running',
    untilRevision: null,
    endedMs: null,
    result: null,
    error: null,
    waiting: null,
    stepsUnderWay: 0,
    wakeMs,
    recorded: 0,
    progress: null,
  })
}

/** Wakes the flow at this end when the message is one it waits for. */
const wakeReceiver = ({ flows }: FlowTables, event: EventOf<'MessageReceived'>, atMs: number): void => {
  const flow = flows.atSession(event.session, event.role)
  if (flow?.status !== 'running') return
  const isAwaited = waitsOf(flow)?.some(
    (waiting) =>
      waiting.for === 'message' &&
      waiting.session === event.session &&
      waiting.role === event.role &&
      waiting.seq === event.seq,
  )
  if (isAwaited !== true) return
  flow.wakeMs = readySinceMs(flow.wakeMs, atMs)
  flows.touch(flow)
}

/** Keeps a signal, and wakes its flow when it waits for one of its name. */
const receiveSignal = (
  { flows, signals }: FlowTables,
  row: FlowDraft,
  { seq, signal, data, by, id }: EventOf<'SignalReceived'>,
  atMs: number,
): void => {
  signals.insert({ flowSeq: row.seq, seq, name: signal, data: canonicalText(data), by, atMs, id: id ?? null })
  if (row.status !== 'running') return
  if (waitsOf(row)?.some((waiting) => waiting.for === 'signal' && waiting.signal === signal) !== true) return
  row.wakeMs = readySinceMs(row.wakeMs, atMs)
  flows.touch(row)
}

/** Takes the waits of a flow out of the index, before its row takes others. */
const forgetWaits = ({ waits }: FlowTables, row: FlowDraft): void => {
  if (waits.isEmpty || row.waiting === null) return
  for (const key of waitKeysOf(readWaits(row.waiting))) waits.remove(key, row.seq)
}

/** A flow that is paused or parked is woken for nothing but the end of the time that it has since it was cancelled. */
const heldWakeMs = (row: FlowDraft): number | null => {
  const cancel = cancelOf(row)
  return cancel === undefined ? null : toMillis(cancel.until)
}

const wait = (tables: FlowTables, row: FlowDraft, waits: Waits, atMs: number): void => {
  forgetWaits(tables, row)
  for (const key of waitKeysOf(waits)) tables.waits.insert(key, row.seq)
  row.waiting = canonicalText(waits)
  row.stepsUnderWay = countStepsUnderWay(waits)
  row.wakeMs = row.status === 'running' ? wakeMsOf(waits, atMs) : heldWakeMs(row)
}

const waitsAfterAdvance = (row: FlowDraft, event: EventOf<'FlowAdvanced'>): Waits => {
  const waits = waitsAfter(event.over === undefined ? undefined : waitsOf(row), event)
  return keepCancel(cancelOf(row), waits, event)
}

const end = (tables: FlowTables, row: FlowDraft, event: EventOf<'FlowEnded'>, revision: number, atMs: number): void => {
  forgetWaits(tables, row)
  row.status = endedAs(event)
  row.untilRevision = revision
  row.endedMs = atMs
  const { result = event.refusal } = event
  row.result = result === undefined ? null : canonicalText(result)
  row.error = event.error === undefined ? null : canonicalText(event.error)
  row.waiting = null
  row.stepsUnderWay = 0
  row.wakeMs = null
}

/** Whether a flow has begun a step, whose effect outside is there whatever became of the flow. */
const hasBegunStep = ({ flows }: FlowTables, row: FlowDraft): boolean =>
  waitsOf(row)?.some((waiting) => waiting.for === 'step') === true ||
  flows.record(row).some(({ kind, error }) => kind === 'step' && !isHoldRefusal(error))

/**
 * The children that end with their parent are given a turn for it, also those that are paused or parked. Those that are
 * being cancelled come to their end without it.
 */
const wakeChildren = ({ flows, children }: FlowTables, parent: FlowDraft, atMs: number): void => {
  for (const { childSeq, whenParentEnds } of children.ofParent(parent.seq)) {
    if (whenParentEnds !== 'cancel') continue
    const child = flows.get(childSeq)
    if (hasEnded(child) || cancelOf(child) !== undefined) continue
    child.wakeMs = readySinceMs(child.wakeMs, atMs)
    flows.touch(child)
  }
}

/** A flow that was paused or parked waits on for its instants, or takes a turn at once, in which its steps are run. */
const readyAgain = (row: FlowDraft, atMs: number): void => {
  row.status = 'running'
  row.error = null
  row.wakeMs = resumeMsOf(waitsOf(row), atMs)
  row.stepsUnderWay = 0
}

type Retry = Extract<Waiting, { readonly for: 'step' | 'turn' }> & { readonly retryAt: Instant }

const isRetry = (waiting: Waiting): waiting is Retry =>
  (waiting.for === 'step' || waiting.for === 'turn') && waiting.retryAt !== undefined

/** Before a flow's row takes new waits: those with a next try that it does not have yet follow a failed one. */
const addFailedTries = (
  { troubles }: FlowTables,
  row: FlowDraft,
  waits: Waits,
  revision: number,
  atMs: number,
): void => {
  if (!waits.some(isRetry)) return
  const before = new Set(waitsOf(row)?.map(canonicalText))
  waits.forEach((waiting, place) => {
    if (!isRetry(waiting) || before.has(canonicalText(waiting))) return
    const { error, retryAt } = waiting
    troubles.insert({
      flowSeq: row.seq,
      revision,
      place,
      atMs,
      what: 'failed a try',
      by: null,
      error: error === undefined ? null : canonicalText(error),
      retryAt,
    })
  })
}

export const evolveFlows = (tables: FlowEvolution, event: FlowEvent, revision: number, atMs: number): void => {
  if (event.type === 'FlowStarted') {
    start(tables, event, revision, atMs)
    return
  }
  if (event.type === 'MessageReceived') {
    wakeReceiver(tables, event, atMs)
    return
  }
  if (event.type === 'StateReassessed') {
    wakeForReassessed(tables, event, atMs)
    return
  }
  const { flows, troubles, flowAttention } = tables
  const row = flows.find(event.flow as FlowId)
  assertInvariant(row !== undefined, `${event.type} names the unknown flow ${event.flow}`)
  const addTrouble = (what: TroubleRow['what'], by: string | null, error: string | null = null): void =>
    troubles.insert({ flowSeq: row.seq, revision, place: 0, atMs, what, by, error, retryAt: null })
  switch (event.type) {
    case 'SignalReceived':
      receiveSignal(tables, row, event, atMs)
      return
    case 'SignalTaken':
      tables.signals.take(row.seq, event.seq)
      return
    case 'FlowAdvanced':
      flows.appendOperations(row, event.operations.map(canonicalText))
      addFailedTries(tables, row, event.waiting, revision, atMs)
      wait(tables, row, waitsAfterAdvance(row, event), atMs)
      if (event.progress !== undefined) row.progress = event.progress
      break
    case 'FlowEnded':
      if (event.outcome === 'superseded' && hasBegunStep(tables, row)) {
        flowAttention.add(row.seq)
        addTrouble('superseded after a step', null, event.error === undefined ? null : canonicalText(event.error))
      }
      end(tables, row, event, revision, atMs)
      wakeAt(tables, keyOfFlow(row.id), atMs)
      if (event.outcome !== 'continued') {
        tables.signals.endOf(row.seq)
        wakeChildren(tables, row, atMs)
      }
      break
    case 'FlowParked':
      row.status = 'parked'
      row.error = canonicalText(event.error)
      row.wakeMs = heldWakeMs(row)
      addTrouble('parked', null, row.error)
      break
    case 'FlowPaused':
      row.status = 'paused'
      row.wakeMs = heldWakeMs(row)
      addTrouble('paused', event.by)
      break
    case 'FlowCancelled':
      // One that was held goes on too: it cannot clean up otherwise.
      row.status = 'running'
      row.error = null
      row.waiting = canonicalText(waitsOfCancelled(waitsOf(row), event))
      row.wakeMs = readySinceMs(row.wakeMs, atMs)
      addTrouble('cancelled', event.by)
      break
    case 'FlowRetried':
      readyAgain(row, atMs)
      addTrouble('retried', event.by)
      break
    case 'FlowResumed':
      readyAgain(row, atMs)
      addTrouble('resumed', event.by)
      break
    case 'FlowDismissed':
      flowAttention.remove(row.seq)
      addTrouble('dismissed', event.by)
      break
  }
  flows.touch(row)
}
