/**
 * Payment, and payment overdue. Both begin at the payer, who sends the money and says so; the payee sees that it
 * has arrived, and both sign that it was paid. When the payer stays silent, both go on at the payee, who calls the
 * payment overdue and has it asked for again.
 */
import { left, right, type Either } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { CarillonError, defineFlow, defineResponder, StateRefC, type AnyFlowDefinition, type FlowBody } from 'carillon'
import { LocalDateC, type LocalDate } from 'carillon/calendars'
import { Swap } from '../swap/Swap.js'
import { flowNames, OverdueCommand, PayCommand, SwapKind, type SwapData } from '../swap/SwapKind.js'
import { withOverdue, withPaid } from '../swap/changes.js'
import { overdueFrom, paymentInstant, paymentOn, type Payment } from '../swap/events.js'
import type { Instruction, PaymentSystem } from './PaymentSystem.js'

/** What a payment is known by: the trade and the date say it all, whoever asks and however often. */
const instructionFor = ({ fixed, floating, common }: SwapData, { date, net, payer, payee }: Payment): Instruction => ({
  key: `${common.tradeId}/${fixed.payer.name}/${floating.payer.name}/${date}`,
  from: payer.name,
  to: payee.name,
  amount: { currency: fixed.notional.currency, minor: Math.abs(net) },
})

/** The payment of a date; an error while a rate that it depends on is not fixed. */
const requirePayment = (swap: SwapData, date: LocalDate): Payment => {
  const payment = paymentOn(swap, date)
  if (payment !== undefined) return payment
  throw new CarillonError('swap/not-fixed', `What is due on ${date} is not known yet: a rate is not fixed.`, { date })
}

const input = t.strict({ swap: StateRefC, date: LocalDateC })

/** The payer's side. */
const defineSettle = (payments: PaymentSystem) =>
  defineFlow({
    name: 'swap/Settle',
    input,
    *run(io, { swap: ref, date }): FlowBody<Payment> {
      const swap = yield* io.load(Swap, ref)
      const payment = requirePayment(swap.data, date)
      const { payer, payee, net } = payment
      const reference =
        net === 0 ? '' : yield* io.step('send the money', () => payments.pay(instructionFor(swap.data, payment)))
      const session = yield* io.initiate(payee)
      const { tradeId, regulators } = swap.data.common
      yield* io.finalise(
        (tx) =>
          tx
            .consume(swap)
            .produce(Swap, withPaid(swap.data, date, net, reference))
            .command(PayCommand, [payer, payee], { tradeId, date, net, reference })
            .timeWindow({ from: paymentInstant(swap.data, date) }),
        { sessions: [session], observers: regulators },
      )
      return payment
    },
  })
type Settle = ReturnType<typeof defineSettle>

/** The payee's side: it signs when the money is there. */
const defineConfirmSettlement = (settle: Settle, payments: PaymentSystem) =>
  defineResponder({
    name: 'swap/ConfirmSettlement',
    respondsTo: settle,
    *run(io, session): FlowBody<void> {
      yield* io.signProposal(session, function* (transaction): FlowBody<Either<string, void>> {
        const [before] = transaction.inputsOf(SwapKind)
        const [paid] = transaction.commandsOf(PayCommand)
        const isOne = transaction.inputs.length === 1 && transaction.outputs.length === 1
        if (before === undefined || paid === undefined || !isOne)
          return left('a payment is about one swap and nothing else')
        const { date, reference } = paid.data
        const payment = requirePayment(before.data, date)
        if (payment.payee.key !== io.me.key || payment.payer.key !== session.party.key)
          return left(`${session.party.name} owes ${io.me.name} nothing on ${date}`)
        if (payment.net === 0) return right(undefined)
        const arrived = yield* io.step('see whether the money is there', () =>
          payments.hasArrived(reference, instructionFor(before.data, payment)),
        )
        return arrived ? right(undefined) : left(`the money of ${date} has not arrived`)
      })
      yield* io.receiveFinality(session)
    },
  })

/** The payee alone says that nothing has come. The notary sees that it is not said too early. */
const DeclareOverdue = defineFlow({
  name: 'swap/DeclareOverdue',
  input,
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

const definePayOrChase = (name: string, settle: Settle) =>
  defineFlow({
    name,
    schedulable: true,
    input,
    *run(io, about): FlowBody<string> {
      const swap = yield* io.load(Swap, about.swap)
      const { payer } = requirePayment(swap.data, about.date)
      if (payer.key === io.me.key) {
        yield* io.subFlow(settle, about)
        return 'paid'
      }
      yield* io.subFlow(DeclareOverdue, about)
      return 'overdue'
    },
  })

/** The flows of a bank that pays by a payment system. */
export const paymentFlows = (payments: PaymentSystem): readonly AnyFlowDefinition[] => {
  const settle = defineSettle(payments)
  return [
    ...[settle, defineConfirmSettlement(settle, payments), DeclareOverdue],
    ...[flowNames.payment, flowNames.paymentOverdue].map((name) => definePayOrChase(name, settle)),
  ]
}
