/**
 * Why a transaction must not be recorded. A state is consumed once, by a node that holds it, and its key belongs to one
 * unconsumed state of its type.
 */
import { showRef } from '../ledger/StateRef.js'
import type { EventOf } from '../log/events.js'
import type { Instant } from '../time/Instant.js'
import { decodedBody } from './applyTransaction.js'
import type { Model } from './Model.js'

/** What speaks against the key of an output. A transaction that others have signed too is final and is recorded anyway. */
const refuseKeys = ({ states }: Model, event: EventOf<'TransactionRecorded'>): string | undefined => {
  if (event.signatures !== undefined) return undefined
  const body = decodedBody(event)
  const inputs = new Set(body.inputs.map(showRef))
  const taken = new Set(
    event.assessments.some(({ key }) => key !== undefined)
      ? [...states].flatMap(([ref, { type, key, consumed }]) =>
          key === undefined || consumed !== undefined || inputs.has(ref) ? [] : [`${type} ${key}`],
        )
      : [],
  )
  for (const [index, { type }] of body.outputs.entries()) {
    const key = event.assessments[index]?.key
    if (key === undefined) continue
    if (taken.has(`${type} ${key}`)) return `the key "${key}" belongs to another ${type}`
    taken.add(`${type} ${key}`)
  }
  return undefined
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
    if (body.inputs.findIndex((other) => showRef(other) === ref) !== index) return `it consumes ${ref} twice`
  }
  for (const { relevant, activity, actsAt } of event.assessments) {
    if (activity === undefined) continue
    if (!relevant) return 'a state that does not concern this party must not be scheduled'
    if (actsAt !== undefined && actsAt < activity.at) return 'a party must not act before the due instant'
  }
  return refuseKeys(model, event)
}
