/**
 * Folds the life of flows, and with it the outcome of the activities that started them.
 */
import { canonicalText } from '../encoding/canonical.js'
import { assertInvariant } from '../errors/CarillonError.js'
import type { DomainEvent, EventOf, Waits } from '../log/events.js'
import { toMillis } from '../time/Instant.js'
import type { SessionTable } from '../session/SessionTable.js'
import type { SoftLocks } from '../vault/SoftLocks.js'
import type { StateTable } from '../vault/StateTable.js'
import type { FlowId } from '../log/FlowId.js'
import type { FlowRow } from './FlowRow.js'
import type { FlowTable } from './FlowTable.js'
import { ConsumedMessageC } from '../session/ConsumedMessage.js'
import type { TroubleTable } from './TroubleTable.js'
import { countStepsUnderWay, resumeMsOf, waitsOf, wakeMsOf } from './waiting.js'

export type FlowTables = {
  readonly flows: FlowTable
  readonly states: StateTable
  readonly softLocks: SoftLocks
  readonly sessions: SessionTable
  readonly troubles: TroubleTable
}

type FlowEvent = Extract<DomainEvent, { readonly type: `Flow${string}` }>

const start = (tables: FlowTables, event: EventOf<'FlowStarted'>, revision: number, atMs: number): void => {
  const { origin } = event
  const activity = origin.kind === 'activity' ? origin : undefined
  const state = activity === undefined ? undefined : tables.states.find(activity.ref)
  assertInvariant(activity === undefined || state !== undefined, `flow ${event.flow} was started by an unknown state`)
  tables.flows.insert({
    seq: tables.flows.nextSeq,
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
    clientId: origin.kind === 'client' ? (origin.clientId ?? null) : null,
    startedBy: origin.kind === 'client' ? origin.by : origin.kind === 'session' ? origin.party : null,
    session: origin.kind === 'session' ? origin.session : null,
    status: 'running',
    untilRevision: null,
    endedMs: null,
    result: null,
    error: null,
    waiting: null,
    stepsUnderWay: 0,
    wakeMs: null,
    recorded: 0,
    progress: null,
  })
  if (state === undefined || activity === undefined) return
  state.standing = 'started'
  state.actsAtMs = null
  state.attempt = activity.attempt
  state.error = null
  state.note = null
  state.cause = null
  tables.states.progress(state)
}

const wait = (row: FlowRow, waits: Waits, atMs: number): void => {
  row.waiting = canonicalText(waits)
  row.stepsUnderWay = countStepsUnderWay(waits)
  // A flow that is paused or parked is not woken by what it waits for.
  row.wakeMs = row.status === 'running' ? wakeMsOf(waits, atMs) : null
}

const end = (tables: FlowTables, row: FlowRow, event: EventOf<'FlowEnded'>, revision: number, atMs: number): void => {
  row.status = event.outcome
  row.untilRevision = revision
  row.endedMs = atMs
  row.result = event.result === undefined ? null : canonicalText(event.result)
  row.error = event.error === undefined ? null : canonicalText(event.error)
  row.waiting = null
  row.stepsUnderWay = 0
  row.wakeMs = null
  tables.softLocks.releaseOf(row.seq)
  if (row.stateSeq === null) return
  const state = tables.states.get(row.stateSeq)
  if (state.untilRevision !== null) return
  const once = state.activity !== null && (JSON.parse(state.activity) as { readonly once?: boolean }).once === true
  state.standing = once || event.outcome === 'killed' ? 'closed' : 'ended'
  // A failure waits for a hand; a flow that completed and left its state as it was does not.
  state.error = event.outcome === 'failed' ? row.error : null
  tables.states.touch(state)
}

/** A page of history is on the ledger once it was taken; only that it arrived has to be known after that. */
const forgetTaken = ({ sessions }: FlowTables, result: unknown): void => {
  if (!ConsumedMessageC.is(result)) return
  const row = sessions.find(result.session, result.role)
  if (row !== undefined) sessions.emptyIncoming(row, result.seq)
}

/** A flow that was paused or parked waits on for its instants, or takes a turn at once, in which its steps are run. */
const readyAgain = (row: FlowRow, atMs: number): void => {
  row.status = 'running'
  row.error = null
  row.wakeMs = resumeMsOf(waitsOf(row), atMs)
  row.stepsUnderWay = 0
}

export const foldFlow = (tables: FlowTables, event: FlowEvent, revision: number, atMs: number): void => {
  if (event.type === 'FlowStarted') {
    start(tables, event, revision, atMs)
    return
  }
  const row = tables.flows.find(event.flow as FlowId)
  assertInvariant(row !== undefined, `${event.type} names the unknown flow ${event.flow}`)
  switch (event.type) {
    case 'FlowAdvanced':
      for (const { kind, result } of event.operations) if (kind === 'takeHistory') forgetTaken(tables, result)
      tables.flows.appendOperations(row, event.operations.map(canonicalText))
      tables.troubles.foldWaits(row, event.waiting, revision, atMs)
      wait(row, event.waiting, atMs)
      if (event.progress !== undefined) row.progress = event.progress
      break
    case 'FlowEnded':
      end(tables, row, event, revision, atMs)
      break
    case 'FlowParked':
      row.status = 'parked'
      row.error = canonicalText(event.error)
      row.wakeMs = null
      break
    case 'FlowPaused':
      row.status = 'paused'
      row.wakeMs = null
      break
    case 'FlowRetried':
    case 'FlowResumed':
      readyAgain(row, atMs)
      break
  }
  tables.troubles.fold(event, row.seq, revision, atMs)
  tables.flows.touch(row)
}
