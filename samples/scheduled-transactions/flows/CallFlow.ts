/**
 * Runs a flow that an execution has called, and records how it ended. The call is made once: a flow that fails is
 * recorded as failed, and a node that was down goes on where it was.
 */
import * as t from 'io-ts'
import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { defineFlow, type AnyFlowDefinition, type FlowBody, type FlowDefinition, type FlowIo } from 'carillon'
import { inBooks, type Books } from '../Books.js'
import { putRecord } from '../handling/handleTransaction.js'
import { nextTime } from '../model/Consensus.js'
import { ScheduleIDC } from '../model/EntityId.js'
import type { Call as CallData } from '../model/Schedule.js'
import { childIDOf } from '../model/TransactionID.js'
import { hashOf } from '../model/TransactionBody.js'
import type { TransactionRecord } from '../model/TransactionRecord.js'
import { Call, callName } from '../states.js'

const input = t.readonly(t.strict({ schedule: ScheduleIDC }))

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
  const consensus = yield* books.consensus()
  const consensusTimestamp = nextTime(consensus, books.now)
  yield* books.setConsensus({ ...consensus, last: consensusTimestamp })
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

export const callFlow = (flows: readonly AnyFlowDefinition[]): FlowDefinition<t.TypeOf<typeof input>, void> => {
  const byName = new Map(flows.map((flow) => [flow.name, flow]))
  return defineFlow({
    name: callName,
    schedulable: true,
    input,
    *run(io, { schedule }): FlowBody<void> {
      const found = yield* io.find(Call, schedule)
      if (found === undefined) return
      const ended = yield* call(io, found.data, byName.get(found.data.flow))
      yield* inBooks(io, 'settle', null, (books) => settle(books, found.data, ended))
    },
  })
}
