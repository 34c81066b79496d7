/**
 * What schedules ask for themselves. At its expiration time one that waited for it is executed if its signatures
 * are there, and has a failed record if they are not; any other is cleared, in order of expiration and creation. A
 * flow that an execution has called is run once, and how it ended is recorded.
 */
import { isLeft, right, toUnion, type Either } from 'fp-ts/lib/Either.js'
import { defineFlow, type AnyFlowDefinition, type FlowBody, type FlowDefinition } from 'carillon'
import { callAny, type CallFailed } from '../../shared/callAny.js'
import { record } from '../../shared/record.js'
import { inBooks, type Books, type NetworkRules } from '../Books.js'
import { executeSchedule } from '../handling/executeSchedule.js'
import { endSchedule, isThere, leave, requiredNow } from '../handling/scheduleBook.js'
import { missingFrom } from '../model/Account.js'
import { nextTime } from '../model/Consensus.js'
import type { Call as CallData } from '../model/Schedule.js'
import { hashOf } from '../model/TransactionBody.js'
import { childIDOf, ScheduleIDC, type ScheduleID } from '../model/ids.js'
import { Call, callName, clearName, expireName } from '../states.js'

const input = record('OfSchedule', { schedule: ScheduleIDC })
type Input = { readonly schedule: ScheduleID }

/** What became of the schedule; undefined when it had ended before. */
export type Expired = { readonly ended: 'executed' | 'expired' | undefined }

const expire = function* (books: Books, id: ScheduleID): FlowBody<Either<never, Expired>> {
  const { evaluateAtExpiry } = books.settings
  const schedule = yield* books.schedules.get(id)
  const at = nextTime(yield* books.consensus(), books.now)
  if (schedule === undefined || isThere(schedule, at.seconds)) return right({ ended: undefined })
  const signers = yield* books.signers(id)
  if (schedule.waitForExpiry || evaluateAtExpiry) {
    const required = yield* requiredNow(books, schedule.payerAccountID, schedule.needs)
    const missing = isLeft(required) ? required.left : missingFrom(required.right, new Set(signers))
    if (missing === undefined || schedule.waitForExpiry) {
      yield* executeSchedule(books, { schedule, signers, missing })
      return right({ ended: missing === undefined ? 'executed' : 'expired' })
    }
  }
  yield* books.setConsensus({ last: at })
  yield* endSchedule(books, schedule, signers, { as: 'expired', at, result: null })
  return right({ ended: 'expired' })
}

/** Started by the schedule itself, in order of expiration and creation. */
export const expireFlow = (rules: NetworkRules): FlowDefinition<Input, Expired> =>
  defineFlow({
    name: expireName,
    schedulable: true,
    input,
    *run(io, { schedule }): FlowBody<Expired> {
      return toUnion(yield* inBooks(io, 'expire', null, (books) => expire(books, schedule), rules))
    },
  })

const clear = function* (books: Books, id: ScheduleID): FlowBody<Either<never, boolean>> {
  const past = yield* books.past.get(id)
  if (past === undefined) return right(false)
  if (past.keptUntil === null) return right(false)
  yield* books.past.put({ ...past, keptUntil: null })
  yield* leave(books, past)
  return right(true)
}

/** Under `reject`: an executed or deleted schedule has reached the second in which it would have expired. */
export const Clear = defineFlow({
  name: clearName,
  schedulable: true,
  input,
  *run(io, { schedule }): FlowBody<boolean> {
    return toUnion(yield* inBooks(io, 'clear', null, (books) => clear(books, schedule)))
  },
})

const settle = function* (
  books: Books,
  made: CallData,
  ended: Either<CallFailed, void>,
): FlowBody<Either<never, void>> {
  const consensusTimestamp = yield* books.nextTime()
  yield* books.calls.take(made.schedule)
  yield* books.putRecord({
    receipt: { status: isLeft(ended) ? 'CALLED_FLOW_FAILED' : 'SUCCESS' },
    transactionHash: hashOf(made.flow),
    consensusTimestamp,
    transactionID: childIDOf(made.transactionID),
    memo: '',
    transactionFee: 0,
    transferList: [],
    scheduleRef: made.schedule,
    parentConsensusTimestamp: made.calledAt,
    ...(isLeft(ended) ? { error: ended.left.message } : {}),
  })
  return right(undefined)
}

/**
 * Runs a flow that an execution has called, and records how it ended. The call is made once: a flow that fails is
 * recorded as failed, and a node that was down goes on where it was.
 */
export const callFlow = (flows: readonly AnyFlowDefinition[]): FlowDefinition<Input, void> => {
  const byName = new Map(flows.map((flow) => [flow.name, flow]))
  return defineFlow({
    name: callName,
    schedulable: true,
    input,
    *run(io, { schedule }): FlowBody<void> {
      const found = yield* io.find(Call, schedule)
      if (found === undefined) return
      const ended = yield* callAny(io, byName.get(found.data.flow), found.data.input)
      yield* inBooks(io, 'settle', null, (books) => settle(books, found.data, ended))
    },
  })
}
