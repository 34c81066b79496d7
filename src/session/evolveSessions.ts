/**
 * Writes what events say about sessions and their messages.
 */
import { canonicalText } from '../encoding/canonical.js'
import { assertInvariant } from '../errors/CarillonError.js'
import { hasEnded } from '../flow/FlowRow.js'
import type { FlowsReadTables } from '../flow/FlowTables.js'
import type { EventOf } from '../log/events.js'
import type { FlowId } from '../log/FlowId.js'
import { ConsumedMessageC } from './ConsumedMessage.js'
import type { SessionDraft } from './SessionRow.js'
import type { SessionTables } from './SessionTables.js'

/** The tables of sessions, and the flows at their ends. */
export type SessionEvolution = SessionTables & FlowsReadTables

export type SessionEvent = EventOf<
  'SessionOpened' | 'MessageSent' | 'MessageReceived' | 'MessageAcknowledged' | 'FlowAdvanced' | 'FlowEnded'
>

const open = ({ sessions, flows }: SessionEvolution, event: EventOf<'SessionOpened'>, revision: number): void => {
  const flow = event.flow === undefined ? undefined : flows.find(event.flow as FlowId)
  assertInvariant(event.flow === undefined || flow !== undefined, `session ${event.session} belongs to an unknown flow`)
  sessions.insert({
    id: event.session,
    role: event.role,
    party: event.party,
    flowSeq: flow?.seq ?? null,
    fromRevision: revision,
  })
}

/** A page of history is on the ledger once it was taken; only that it arrived has to be known after that. */
const forgetTaken = ({ sessions }: SessionTables, { operations }: EventOf<'FlowAdvanced'>): void => {
  for (const { kind, result } of operations) {
    if (!['takeHistory', 'recordHistory'].includes(kind) || !ConsumedMessageC.is(result) || result.kept === true)
      continue
    const row = sessions.find(result.session, result.role)
    if (row !== undefined) sessions.emptyIncoming(row, result.seq)
  }
}

/** A flow that waits for a message has read all before it, and will read this one: so much more may be sent to it. */
const askNext = ({ sessions }: SessionTables, { waiting }: EventOf<'FlowAdvanced'>): void => {
  for (const wait of waiting) {
    if (wait.for !== 'message') continue
    const row = sessions.find(wait.session, wait.role)
    if (row !== undefined && wait.seq > row.asked) sessions.ask(row, wait.seq)
  }
}

/** This node's end of the session of a message. */
const endOf = (
  { sessions }: SessionTables,
  { type, session, role }: EventOf<'MessageSent' | 'MessageReceived'>,
): SessionDraft => {
  const row = sessions.find(session, role)
  assertInvariant(row !== undefined, `${type} names the unknown session ${session}`)
  return row
}

/** The sessions of a flow are over when it ends: those that it has closed itself at once, the others with their last message. */
const endClosed = ({ sessions, flows }: SessionEvolution, event: EventOf<'FlowEnded'>): void => {
  const flow = sessions.hasClosed() ? flows.locate(event.flow) : undefined
  if (flow !== undefined) for (const row of sessions.closedByFlow(flow)) sessions.end(row)
}

const send = (tables: SessionEvolution, event: EventOf<'MessageSent'>, revision: number): void => {
  const { sessions, flows } = tables
  const row = endOf(tables, event)
  sessions.send(row, revision, event.seq, canonicalText(event.message))
  row.sent = event.seq + 1
  if (event.message.kind === 'end' || event.message.kind === 'error') {
    sessions.close(row)
    if (row.flowSeq === null || hasEnded(flows.get(row.flowSeq))) sessions.end(row)
  }
  sessions.touch(row)
}

export const evolveSessions = (tables: SessionEvolution, event: SessionEvent, revision: number): void => {
  switch (event.type) {
    case 'SessionOpened':
      open(tables, event, revision)
      return
    case 'FlowAdvanced':
      askNext(tables, event)
      forgetTaken(tables, event)
      return
    case 'FlowEnded':
      endClosed(tables, event)
      return
    case 'MessageAcknowledged':
      tables.sessions.acknowledged(event.session, event.role, event.seq)
      return
    case 'MessageReceived':
      tables.sessions.receive(endOf(tables, event), event.seq, canonicalText(event.message))
      return
    case 'MessageSent':
      send(tables, event, revision)
      return
  }
}
