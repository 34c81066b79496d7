/**
 * Maturity: when everything is fixed and paid, both banks sign that the trade is over, and its state is no more.
 */
import { defineFlow, defineResponder, StateRefC, type FlowBody } from 'carillon'
import { left, right } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { MatureCommand } from '../swap/commands.js'
import { maturityInstant } from '../swap/events.js'
import { flowNames } from '../swap/flowNames.js'
import { Swap } from '../swap/Swap.js'
import { SwapKind } from '../swap/SwapKind.js'
import { counterpartyOf } from './offer.js'

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
