/**
 * What schedules ask for themselves. At its expiration time one that waited for it is executed if its signatures
 * are there, and has a failed record if they are not; any other is cleared, in order of expiration and creation. A
 * flow that an execution has called is run once, and how it ended is recorded.
 */
import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { defineFlow, type AnyFlowDefinition, type FlowBody, type FlowDefinition, type FlowIo } from 'carillon'
import { inBooks, type Books } from '../Books.js'
import { executeSchedule } from '../handling/executeSchedule.js'
import { putRecord } from '../handling/handleTransaction.js'
import { endSchedule, isThere, leave, requiredNow } from '../handling/scheduleBook.js'
import { missingFrom } from '../model/Account.js'
import { nextTime } from '../model/Consensus.js'
import type { ResponseCode } from '../model/ResponseCode.js'
import type { Call as CallData, Schedule, Signatories } from '../model/Schedule.js'
import { hashOf } from '../model/TransactionBody.js'
import type { TransactionRecord } from '../model/TransactionRecord.js'
import { childIDOf, ScheduleIDC, type ScheduleID } from '../model/ids.js'
import type { Operations } from '../operations/Operation.js'
import { Call, callName, clearName, expireName } from '../states.js'

const input = t.readonly(t.strict({ schedule: ScheduleIDC }))
type Input = t.TypeOf<typeof input>

/** What became of the schedule; undefined when it had ended before. */
export type Expired = { readonly ended: 'executed' | 'expired' | undefined }

const missingNow = function* (
  books: Books,
  schedule: Schedule,
  keys: Signatories['keys'],
): FlowBody<ResponseCode | undefined> {
  const required = yield* requiredNow(books, schedule.payerAccountID, schedule.needs)
  return isLeft(required) ? required.left : missingFrom(required.right, new Set(keys))
}

const expire = function* (books: Books, id: ScheduleID, operations: Operations): FlowBody<Either<never, Expired>> {
  const settings = yield* books.settings()
  const schedule = yield* books.schedules.get(books.io, id)
  const consensus = yield* books.consensus()
  const at = nextTime(consensus, books.now)
  if (schedule === undefined || isThere(schedule, at.seconds)) return right({ ended: undefined })
  const signers = yield* books.signers(id)
  if (schedule.waitForExpiry || settings.evaluateAtExpiry) {
    const missing = yield* missingNow(books, schedule, signers)
    if (missing === undefined || schedule.waitForExpiry) {
      const trigger = { by: 'expiry' } as const
      const why = missing === undefined ? {} : { missing }
      yield* executeSchedule(books, operations, { schedule, signers, trigger, settings, ...why })
      return right({ ended: missing === undefined ? 'executed' : 'expired' })
    }
  }
  yield* books.setConsensus({ ...consensus, last: at })
  yield* endSchedule(books, schedule, signers, { as: 'expired', at, result: null }, settings)
  return right({ ended: 'expired' })
}

/** Started by the schedule itself, in order of expiration and creation. */
export const expireFlow = (operations: Operations): FlowDefinition<Input, Expired> =>
  defineFlow({
    name: expireName,
    schedulable: true,
    input,
    *run(io, { schedule }): FlowBody<Expired> {
      const expired = yield* inBooks(io, 'expire', null, (books) => expire(books, schedule, operations))
      return isLeft(expired) ? { ended: undefined } : expired.right
    },
  })

const clear = function* (books: Books, id: ScheduleID): FlowBody<Either<never, boolean>> {
  // Asked here, so that the transaction names the parameters it was made under.
  yield* books.settings()
  const past = yield* books.past.get(books.io, id)
  if (past === undefined || past.keptUntil === null) return right(false)
  yield* books.past.put(books.io, id, { ...past, keptUntil: null })
  yield* leave(books, past)
  return right(true)
}

/** Under `reject`: an executed or deleted schedule has reached the second in which it would have expired. */
export const Clear = defineFlow({
  name: clearName,
  schedulable: true,
  input,
  *run(io, { schedule }): FlowBody<boolean> {
    const cleared = yield* inBooks(io, 'clear', null, (books) => clear(books, schedule))
    return !isLeft(cleared) && cleared.right
  },
})

const callInput = t.readonly(t.strict({ schedule: ScheduleIDC }))

/** A flow throws what it likes; whatever it is, the call has failed with it. */
const call = function* (
  io: FlowIo,
  made: CallData,
  flow: AnyFlowDefinition | undefined,
): FlowBody<Either<string, void>> {
  const decoded = flow?.input.decode(made.input)
  if (flow === undefined || decoded === undefined || isLeft(decoded))
    return left(`The app has no flow ${made.flow} that takes this input.`)
  try {
    yield* io.subFlow(flow, decoded.right)
    return right(undefined)
  } catch (error) {
    return left(error instanceof Error ? error.message : 'The flow threw something that is no error.')
  }
}

const settle = function* (books: Books, made: CallData, ended: Either<string, void>): FlowBody<Either<never, void>> {
  yield* books.settings()
  const consensusTimestamp = yield* books.nextTime()
  yield* books.calls.take(books.io, made.schedule)
  const record: TransactionRecord = {
    receipt: { status: isLeft(ended) ? 'CALLED_FLOW_FAILED' : 'SUCCESS' },
    transactionHash: hashOf(made.flow),
    consensusTimestamp,
    transactionID: childIDOf(made.transactionID),
    memo: '',
    transactionFee: 0,
    transferList: [],
    scheduleRef: made.schedule,
    parentConsensusTimestamp: made.calledAt,
    ...(isLeft(ended) ? { error: ended.left } : {}),
  }
  yield* putRecord(books, record)
  return right(undefined)
}

/**
 * Runs a flow that an execution has called, and records how it ended. The call is made once: a flow that fails is
 * recorded as failed, and a node that was down goes on where it was.
 */
export const callFlow = (flows: readonly AnyFlowDefinition[]): FlowDefinition<t.TypeOf<typeof callInput>, void> => {
  const byName = new Map(flows.map((flow) => [flow.name, flow]))
  return defineFlow({
    name: callName,
    schedulable: true,
    input: callInput,
    *run(io, { schedule }): FlowBody<void> {
      const found = yield* io.find(Call, schedule)
      if (found === undefined) return
      const ended = yield* call(io, found.data, byName.get(found.data.flow))
      yield* inBooks(io, 'settle', null, (books) => settle(books, found.data, ended))
    },
  })
}
