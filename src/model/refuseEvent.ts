/**
 * Why an event must not be recorded at this moment: every rule that says no, in one place. An event that none of them
 * refuses is possible; whether it is also the one that must come is in checkTick.ts.
 */
import { showRef } from '../ledger/StateRef.js'
import type { DomainEvent, EventOf } from '../log/events.js'
import type { Instant } from '../time/Instant.js'
import { keptFor, sessionEnd, typedKey, type Model } from './Model.js'
import { refuseActivity } from './refuseActivity.js'
import { refuseFlow } from './refuseFlow.js'
import { keysOf, refuseTransaction } from './refuseTransaction.js'

/** A lock reserves an unconsumed state for one flow. */
const refuseLock = ({ states, locks }: Model, { flow, refs }: EventOf<'StatesLocked'>): string | undefined => {
  for (const ref of refs.map(showRef)) {
    const state = states.get(ref)
    if (state === undefined) return `this node holds no state ${ref}`
    if (state.consumed !== undefined) return `transaction ${state.consumed.by} has consumed state ${ref}`
    const holder = locks.get(ref)
    if (holder !== undefined && holder !== flow) return `flow ${holder} has reserved state ${ref}`
  }
  return undefined
}

/** A key is reserved by one flow at a time, and only as long as no state of this party has it. */
const refuseReservation = (model: Model, event: EventOf<'KeysReserved'>, at: Instant): string | undefined => {
  const { flow, keys, lapsed = [] } = event
  const taken = keysOf(model)
  for (const key of keys) {
    if (taken.has(typedKey(key))) return `the key "${key.key}" belongs to ${taken.get(typedKey(key)) ?? ''}`
    const holder = model.reserved.get(typedKey(key))?.flow ?? flow
    if (holder === flow) continue
    if (keptFor(model, key, at) === holder) return `flow ${holder} has reserved the key "${key.key}"`
    if (!lapsed.includes(holder)) return `it does not say that flow ${holder} had the key "${key.key}"`
  }
  return undefined
}

/** A transaction is signed once; a change of notary again by whoever completes it. */
const refuseSigning = (model: Model, { id, proposal }: EventOf<'TransactionSigned'>): string | undefined =>
  proposal === undefined && (model.signed.has(id) || model.transactions.has(id))
    ? `this party has signed or recorded transaction ${id} before`
    : undefined

/** A state that is asked again gets no key that belongs to another. */
const refuseReassessment = (model: Model, { ref, assessment }: EventOf<'StateReassessed'>): string | undefined => {
  const { key, relevant } = assessment
  if (key === undefined || !relevant) return undefined
  const type = model.states.get(showRef(ref))?.type ?? ''
  const holder = keysOf(model).get(typedKey({ type, key }))
  return holder === undefined || holder === showRef(ref) ? undefined : `the key "${key}" belongs to ${holder}`
}

/** A notary lets each state be consumed by one transaction, however often it is asked. */
const refuseNotarisation = ({ spent }: Model, { id, inputs }: EventOf<'TransactionNotarised'>): string | undefined => {
  const other = inputs.map((ref) => spent.get(showRef(ref))).find((by) => by !== undefined && by !== id)
  return other === undefined ? undefined : `transaction ${other} has consumed one of its inputs`
}

/** A message is taken once, and only while a flow is there to read it. */
const refuseMessage = ({ sessions, flows }: Model, event: EventOf<'MessageReceived'>): string | undefined => {
  const session = sessions.get(sessionEnd(event))
  if (session === undefined) return `there is no session ${event.session}`
  if (session.received.includes(event.seq)) return `message ${event.seq} of session ${event.session} was taken before`
  const ended = flows.get(session.flow ?? '')?.ended
  return ended === undefined ? undefined : `the flow of session ${event.session} has ended`
}

/** Why an event must not be recorded now; undefined when nothing speaks against it. `before` is the event before it. */
export const refuseEvent = (
  model: Model,
  event: DomainEvent,
  before: DomainEvent | undefined,
  at: Instant,
): string | undefined => {
  const why = refuseFlow(model, event, before, at) ?? refuseActivity(model, event)
  if (why !== undefined) return why
  if (event.type === 'TransactionRecorded') return refuseTransaction(model, event, at)
  if (event.type === 'StateReassessed') return refuseReassessment(model, event)
  if (event.type === 'KeysReserved') return refuseReservation(model, event, at)
  if (event.type === 'TransactionSigned') return refuseSigning(model, event)
  if (event.type === 'TransactionNotarised') return refuseNotarisation(model, event)
  if (event.type === 'StatesLocked') return refuseLock(model, event)
  if (event.type === 'MessageReceived') return refuseMessage(model, event)
  return undefined
}
