/**
 * Fixing: when its time has come, the bank that pays the floating rate asks the oracle for it, has the oracle sign
 * the very fix it applies, and the other bank sign the result. The oracle is shown the fix and nothing else of the
 * trade. Maturity: when everything is fixed and paid, both banks sign that the trade is over, and its state is no
 * more.
 */
import { left, right } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { CarillonError, defineFlow, defineResponder, IntegerC, StateRefC, type FlowBody } from 'carillon'
import { FixCommand, type Fix } from '../oracle/Fix.js'
import { AskToSign, FetchFix } from '../oracle/ask.js'
import type { FloatingPeriod } from '../schedule.js'
import { Swap } from '../swap/Swap.js'
import { flowNames, MatureCommand, RefixCommand, SwapKind, type SwapData } from '../swap/SwapKind.js'
import { fixedAt } from '../swap/changes.js'
import { fixingInstant, maturityInstant, nextUnfixed } from '../swap/events.js'
import { counterpartyOf } from './offer.js'

/** The swap with the rate of one period fixed. */
export const withFix = (swap: SwapData, period: FloatingPeriod, fix: Fix): SwapData => ({
  ...swap,
  calculation: {
    ...swap.calculation,
    floating: swap.calculation.floating.map((row) => (row === period ? fixedAt(swap, period, fix) : row)),
  },
})

export const Fixing = defineFlow({
  name: flowNames.fixing,
  schedulable: true,
  input: t.strict({ swap: StateRefC, toleranceMs: IntegerC }),
  *run(io, { swap: ref, toleranceMs }): FlowBody<Fix> {
    const swap = yield* io.load(Swap, ref)
    const { floating, common, oracle } = swap.data
    const other = counterpartyOf(swap.data, io.me)
    const period = nextUnfixed(swap.data)
    if (period === undefined) throw new CarillonError('swap/nothing-to-fix', 'Every rate of the trade is fixed.')
    const of = { index: floating.index.name, day: period.fixes, tenor: floating.index.tenor }
    const fix = yield* io.subFlow(FetchFix, { oracle, of, toleranceMs, plausible: floating.fixing.plausible })
    const signing = yield* io.subFlow(AskToSign, { oracle })
    const session = yield* io.initiate(other)
    yield* io.finalise(
      (tx) =>
        tx
          .consume(swap)
          .produce(Swap, withFix(swap.data, period, fix))
          .command(RefixCommand, [io.me, other], { tradeId: common.tradeId, fix })
          .command(FixCommand, [oracle], fix)
          .timeWindow({ from: fixingInstant(swap.data, period) }),
      { sessions: [session], tearOffs: [{ session: signing }], observers: common.regulators },
    )
    return fix
  },
})

/** The contract has seen that the oracle signs for the rate; what is left to see is that nothing else is signed along. */
export const AgreeFixing = defineResponder({
  name: 'swap/AgreeFixing',
  respondsTo: flowNames.fixing,
  *run(io, session): FlowBody<void> {
    yield* io.signProposal(session, (transaction) => {
      const [swap] = transaction.outputsOf(SwapKind)
      const isOne = transaction.inputs.length === 1 && transaction.outputs.length === 1
      if (swap === undefined || !isOne || transaction.commandsOf(RefixCommand).length !== 1)
        return left('a fixing is about one swap and nothing else')
      return counterpartyOf(swap.data, io.me).key === session.party.key
        ? right(undefined)
        : left(`the trade is not with ${session.party.name}`)
    })
    yield* io.receiveFinality(session)
  },
})

/** When everything is fixed and paid, both banks sign that the trade is over, and its state is no more. */
export const Maturity = defineFlow({
  name: flowNames.maturity,
  schedulable: true,
  input: t.strict({ swap: StateRefC }),
  *run(io, { swap: ref }): FlowBody<void> {
    const swap = yield* io.load(Swap, ref)
    const other = counterpartyOf(swap.data, io.me)
    const session = yield* io.initiate(other)
    const { tradeId, regulators } = swap.data.common
    yield* io.finalise(
      (tx) =>
        tx
          .consume(swap)
          .command(MatureCommand, [io.me, other], { tradeId })
          .timeWindow({ from: maturityInstant(swap.data) }),
      { sessions: [session], observers: regulators },
    )
  },
})

export const AgreeMaturity = defineResponder({
  name: 'swap/AgreeMaturity',
  respondsTo: flowNames.maturity,
  *run(io, session): FlowBody<void> {
    yield* io.signProposal(session, (transaction) => {
      const isOne = transaction.inputsOf(SwapKind).length === 1 && transaction.inputs.length === 1
      return isOne && transaction.outputs.length === 0
        ? right(undefined)
        : left('a maturity ends one swap and nothing else')
    })
    yield* io.receiveFinality(session)
  },
})
