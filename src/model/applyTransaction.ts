/**
 * A recorded transaction: it consumes states, then produces states. Consumption comes first, so the activity of a state
 * leaves the agenda before its successor's enters it. What is produced and consumed in one tick is never due in between.
 */
import { Encoded } from '../encoding/canonical.js'
import { assertInvariant } from '../errors/CarillonError.js'
import { showRef } from '../ledger/StateRef.js'
import type { TransactionBody } from '../ledger/Transaction.js'
import type { EventOf } from '../log/events.js'
import type { EventPlace } from './LoggedTick.js'
import type { Model } from './Model.js'
import { assessedActivity } from './ModelActivity.js'
import { waitsForTransaction } from './ModelFlow.js'
import { wakeWhere } from './wakeWhere.js'

/** The body of a transaction that was read from the log. */
export const decodedBody = ({ id, body }: EventOf<'TransactionRecorded'>): TransactionBody => {
  assertInvariant(!(body instanceof Encoded), `transaction ${id} was given to the model without being decoded`)
  return body
}

export const applyTransaction = (
  model: Model,
  event: EventOf<'TransactionRecorded'>,
  { revision, at }: EventPlace,
): void => {
  const { states, locks, signed, transactions } = model
  const body = decodedBody(event)
  transactions.add(event.id)
  signed.delete(event.id)
  for (const ref of body.inputs.map(showRef)) {
    const state = states.get(ref)
    if (state === undefined) continue
    const activity = { ...state.activity, standing: 'none', actsAt: undefined } as const
    states.set(ref, { ...state, activity, consumed: { by: event.id, at, revision } })
    locks.delete(ref)
  }
  body.outputs.forEach(({ type, version, data }, index) => {
    const assessment = event.assessments[index]
    if (assessment === undefined) return
    const { relevant, participants } = assessment
    // A state of others has no key here. Logs of earlier versions may say that it has one.
    const key = relevant ? assessment.key : undefined
    const ref = { transaction: event.id, index }
    states.set(showRef(ref), {
      ...{ ref, place: states.size, type, version, data, relevant, participants, key, indexed: assessment.indexed },
      ...{ recordedAt: at, fromRevision: revision, consumed: undefined },
      before: [],
      activity: assessedActivity(assessment),
      attempts: [],
    })
  })
  wakeWhere(model, (flow) => waitsForTransaction(flow, event, body), at)
}
