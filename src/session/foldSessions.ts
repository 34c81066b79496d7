/**
 * Folds sessions and messages. A message that a flow waits for makes the flow ready at once.
 */
import { canonicalText } from '../encoding/canonical.js'
import { assertInvariant } from '../errors/CarillonError.js'
import type { FlowId } from '../log/FlowId.js'
import type { FlowTable } from '../flow/FlowTable.js'
import { waitsOf } from '../flow/waiting.js'
import type { DomainEvent, EventOf } from '../log/events.js'
import type { SessionRow, SessionTable } from './SessionTable.js'

export type SessionTables = { readonly sessions: SessionTable; readonly flows: FlowTable }

export type SessionEvent = Extract<
  DomainEvent,
  { readonly type: 'SessionOpened' | 'MessageSent' | 'MessageReceived' | 'MessageAcknowledged' }
>

/** Wakes the flow at this end when the message is one it waits for. */
const wakeReceiver = ({ flows }: SessionTables, session: SessionRow, seq: number, atMs: number): void => {
  if (session.flowSeq === null) return
  const flow = flows.get(session.flowSeq)
  if (flow.status !== 'running') return
  const isAwaited = waitsOf(flow)?.some(
    (waiting) =>
      waiting.for === 'message' &&
      waiting.session === session.id &&
      waiting.role === session.role &&
      waiting.seq === seq,
  )
  if (isAwaited !== true) return
  flow.wakeMs = atMs
  flows.touch(flow)
}

const open = ({ sessions, flows }: SessionTables, event: EventOf<'SessionOpened'>, revision: number): void => {
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

export const foldSession = (tables: SessionTables, event: SessionEvent, revision: number, atMs: number): void => {
  if (event.type === 'SessionOpened') {
    open(tables, event, revision)
    return
  }
  const { sessions } = tables
  if (event.type === 'MessageAcknowledged') {
    sessions.acknowledged(event.session, event.role, event.seq)
    return
  }
  const session = sessions.find(event.session, event.role)
  assertInvariant(session !== undefined, `${event.type} names the unknown session ${event.session}`)
  if (event.type === 'MessageReceived') {
    sessions.receive(session, event.seq, canonicalText(event.message))
    wakeReceiver(tables, session, event.seq, atMs)
    return
  }
  sessions.send(session, revision, event.seq, canonicalText(event.message))
  session.sent = event.seq + 1
  if (event.message.kind === 'end' || event.message.kind === 'error') session.closed = true
  sessions.touch(session)
}
