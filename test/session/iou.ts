/** A small app for two parties: one owes the other, both sign, and at its due instant the debt is called in. */
import * as t from 'io-ts'
import { left, right } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import {
  allOf,
  defineApp,
  defineCommand,
  defineContract,
  defineFlow,
  defineResponder,
  defineState,
  InstantC,
  IntegerC,
  PartyC,
  rule,
  StateRefC,
  type FlowBody,
  type StateRef,
} from 'carillon'
import { agreeTo, settle } from './agreement.js'

export const Issue = defineCommand({ type: 'iou/Issue' })
export const Call = defineCommand({ type: 'iou/Call' })

const contract = defineContract({
  name: 'iou/Iou',
  verify: (transaction) =>
    allOf(transaction.participants.map(({ key, name }) => rule(`${name} must sign`, transaction.signers.has(key)))),
})

export const Iou = defineState({
  type: 'iou/Iou',
  data: t.strict({ lender: PartyC, borrower: PartyC, amount: IntegerC, dueAt: InstantC, called: t.boolean }),
  contract,
  participants: ({ lender, borrower }) => [lender, borrower],
  nextScheduledActivity: ({ called, dueAt }, ref) => (called ? none : some(CallIn.at(dueAt, { iou: ref }))),
  runsOn: ({ lender, borrower }) => ({ parties: [lender, borrower], takeoverAfter: { minutes: 5 } }),
})

export const Lend = defineFlow({
  name: 'iou/Lend',
  input: t.strict({ borrower: PartyC, amount: IntegerC, dueAt: InstantC }),
  *run(io, { borrower, amount, dueAt }): FlowBody<StateRef> {
    return yield* settle(io, [io.me, borrower], (transaction) =>
      transaction
        .produce(Iou, { lender: io.me, borrower, amount, dueAt, called: false })
        .command(Issue, [io.me, borrower]),
    )
  },
})

export const CallIn = defineFlow({
  name: 'iou/CallIn',
  schedulable: true,
  input: t.strict({ iou: StateRefC }),
  *run(io, { iou }): FlowBody<void> {
    const { data, ref } = yield* io.load(Iou, iou)
    const parties = [data.lender, data.borrower]
    yield* settle(io, parties, (transaction) =>
      transaction
        .consume(ref)
        .produce(Iou, { ...data, called: true })
        .command(Call, parties),
    )
  },
})

export const Borrow = agreeTo(
  'iou/Lend',
  (transaction) => {
    const [iou] = transaction.outputsOf(Iou)
    return iou !== undefined && iou.data.amount > 1_000 ? left('more than I want to owe') : right(undefined)
  },
  'iou/Borrow',
)

/** Gives no result, as in the logs that are kept of this app. */
export const BeCalled = defineResponder({
  name: 'iou/BeCalled',
  respondsTo: CallIn,
  *run(io, session): FlowBody<void> {
    yield* io.signProposal(session, () => right(undefined))
    yield* io.receiveFinality(session)
  },
})

export const app = defineApp({
  name: 'iou',
  states: [Iou],
  flows: [Lend, CallIn, Borrow, BeCalled],
})
