/**
 * Payment, and payment overdue. Both begin at the payer, who pays; and when the payer stays silent, both go on at the
 * payee, who calls the payment overdue and has it asked for again.
 */
import { defineFlow, StateRefC, type FlowBody, type FlowDefinition } from 'carillon'
import { LocalDateC } from 'carillon/calendars'
import * as t from 'io-ts'
import { overdueFrom } from '../schedule/payments.js'
import { OverdueCommand } from '../swap/commands.js'
import { flowNames } from '../swap/flowNames.js'
import { withOverdue } from '../swap/rules/pay.js'
import { Swap } from '../swap/Swap.js'
import type { PaymentSystem } from './PaymentSystem.js'
import { requirePayment, settle, type SettleInput } from './settle.js'

/** The payee alone says that nothing has come. The notary sees that it is not said too early. */
export const DeclareOverdue = defineFlow({
  name: 'swap/DeclareOverdue',
  input: t.strict({ swap: StateRefC, date: LocalDateC }),
  *run(io, { swap: ref, date }): FlowBody<void> {
    const swap = yield* io.load(Swap, ref)
    const { tradeId, regulators } = swap.data.common
    yield* io.finalise(
      (tx) =>
        tx
          .consume(swap)
          .produce(Swap, withOverdue(swap.data, date))
          .command(OverdueCommand, [io.me], { tradeId, date })
          .timeWindow({ from: overdueFrom(swap.data, date) }),
      { observers: regulators },
    )
  },
})

const payOrChase = (name: string, Settle: FlowDefinition<SettleInput, unknown>): FlowDefinition<SettleInput, string> =>
  defineFlow({
    name,
    schedulable: true,
    input: t.strict({ swap: StateRefC, date: LocalDateC }),
    *run(io, input): FlowBody<string> {
      const swap = yield* io.load(Swap, input.swap)
      const { payer } = requirePayment(swap.data, input.date)
      if (payer.key === io.me.key) {
        yield* io.subFlow(Settle, input)
        return 'paid'
      }
      yield* io.subFlow(DeclareOverdue, input)
      return 'overdue'
    },
  })

/** The flows of a bank that pays by a payment system. */
export const paymentFlows = (payments: PaymentSystem) => {
  const Settle = settle(payments)
  return {
    Settle,
    Payment: payOrChase(flowNames.payment, Settle),
    PaymentOverdue: payOrChase(flowNames.paymentOverdue, Settle),
  }
}
