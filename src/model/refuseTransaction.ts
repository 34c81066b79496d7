/**
 * Why a transaction must not be recorded. A state is consumed once, by a node that holds it, and its key belongs to one
 * unconsumed state of its type that concerns this party. What a flow has reserved no other flow of this node consumes. What is recorded only as an ancestor concerns it never.
 */
import { showRef } from '../ledger/StateRef.js'
import type { EventOf } from '../log/events.js'
import type { Instant } from '../time/Instant.js'
import { decodedBody } from './applyTransaction.js'
import { keptFor, typedKey, type Model } from './Model.js'

/** Which states of this party have which keys. */
export const keysOf = ({ states }: Model): ReadonlyMap<string, string> =>
  new Map(
    [...states].flatMap(([ref, { type, key, relevant, consumed }]) =>
      key === undefined || !relevant || consumed !== undefined ? [] : [[typedKey({ type, key }), ref] as const],
    ),
  )

/** What speaks against the keys of outputs: a key belongs to one state, also where the transaction is final. */
const refuseKeys = (model: Model, event: EventOf<'TransactionRecorded'>, at: Instant): string | undefined => {
  const claimed = event.assessments.flatMap(({ key, relevant }, index) => {
    const type = decodedBody(event).outputs[index]?.type ?? ''
    return key === undefined || !relevant ? [] : [{ type, key }]
  })
  if (claimed.length === 0) return undefined
  const inputs = new Set(decodedBody(event).inputs.map(showRef))
  const taken = new Map([...keysOf(model)].filter(([, ref]) => !inputs.has(ref)))
  for (const { type, key } of claimed) {
    if (taken.has(typedKey({ type, key }))) return `the key "${key}" belongs to another ${type}`
    taken.set(typedKey({ type, key }), event.id)
    const flow = keptFor(model, { type, key }, at)
    // What others have signed too is final, and is not held up by what a flow of this node has in mind.
    if (event.signatures === undefined && flow !== undefined && flow !== event.flow)
      return `flow ${flow} has reserved the key "${key}" of ${type}`
  }
  return undefined
}

/** What others build on is kept and is nobody's business here, unless this party has signed it. */
const refuseAncestor = ({ signed }: Model, event: EventOf<'TransactionRecorded'>): string | undefined => {
  if (event.ancestor !== true) return undefined
  if (signed.has(event.id)) return 'this party has signed it, so it is more than an ancestor'
  return event.assessments.some(
    ({ relevant, key, activity }) => relevant || key !== undefined || activity !== undefined,
  )
    ? 'a transaction that is recorded only as an ancestor makes nothing relevant'
    : undefined
}

/** A window contains its first instant and not its last. Who is its own notary records within the window. */
const isOutside = (event: EventOf<'TransactionRecorded'>, at: Instant): boolean => {
  const { from, until } = decodedBody(event).timeWindow ?? {}
  return event.signatures === undefined && ((from !== undefined && at < from) || (until !== undefined && at >= until))
}

/** Why a transaction must not be recorded now; undefined when nothing speaks against it. */
export const refuseTransaction = (
  model: Model,
  event: EventOf<'TransactionRecorded'>,
  at: Instant,
): string | undefined => {
  const body = decodedBody(event)
  if (model.transactions.has(event.id)) return 'the transaction is recorded already'
  if (isOutside(event, at)) return 'it is recorded outside of its time window'
  if (event.assessments.length !== body.outputs.length) return 'each output must be assessed once'
  for (const [index, ref] of body.inputs.map(showRef).entries()) {
    const state = model.states.get(ref)
    if (state === undefined) return `it consumes ${ref}, a state that this node does not hold`
    if (state.consumed !== undefined) return `it consumes ${ref}, which transaction ${state.consumed.by} has consumed`
    const holder = model.locks.get(ref)
    // What others have signed too is final, and wins over a lock.
    if (event.signatures === undefined && holder !== undefined && holder !== event.flow)
      return `it consumes ${ref}, which flow ${holder} has reserved`
    if (body.inputs.findIndex((other) => showRef(other) === ref) !== index) return `it consumes ${ref} twice`
  }
  for (const { relevant, activity, actsAt } of event.assessments) {
    if (activity === undefined) continue
    if (!relevant) return 'a state that does not concern this party must not be scheduled'
    if (actsAt !== undefined && actsAt < activity.at) return 'a party must not act before the due instant'
  }
  return refuseAncestor(model, event) ?? refuseKeys(model, event, at)
}
