/**
 * The rules of a payment, of one that is overdue, and of the end of a trade.
 */
import { rule, type Rule } from 'carillon'
import type { LocalDate } from 'carillon/calendars'
import { lastAsked, overdueFrom, overdueOn, paymentDates, paymentInstant, paymentOn } from '../../schedule/payments.js'
import { maturityInstant, nextUnfixed } from '../events.js'
import type { SwapData } from '../SwapKind.js'
import { becomes, notBefore, onlyChanges, same, signedBy, type Case } from './Case.js'

const isPaid = ({ calculation }: SwapData, date: LocalDate): boolean =>
  calculation.paid.some((paid) => paid.date === date)

/** What must be so before anything can be said about the payment of a date. */
const outstanding = (swap: SwapData, date: LocalDate): readonly Rule[] => [
  rule(`something is paid on ${date}`, paymentDates(swap).includes(date)),
  rule(`what is due on ${date} has not been paid`, !isPaid(swap, date)),
  rule(`every rate that the payment of ${date} depends on is fixed`, paymentOn(swap, date) !== undefined),
]

/** The swap after the payment of a date. */
export const withPaid = (swap: SwapData, date: LocalDate, net: number, reference: string): SwapData => ({
  ...swap,
  calculation: {
    ...swap.calculation,
    paid: [...swap.calculation.paid, { date, net, reference }],
    overdue: swap.calculation.overdue.filter((overdue) => overdue.date !== date),
  },
})

export const payRules = (
  of: Case,
  { date, net, reference }: { readonly date: LocalDate; readonly net: number; readonly reference: string },
): readonly Rule[] =>
  becomes(of, 'a payment', (change) => {
    const { before, after } = change
    const payment = paymentOn(before, date)
    return [
      ...signedBy(of, [before.fixed.payer, before.floating.payer]),
      ...onlyChanges(change, 'paid', 'overdue'),
      ...outstanding(before, date),
      rule('the payment is what the two legs owe, one set off against the other', payment?.net === net),
      rule('the payment has a reference, unless nothing is paid', reference !== '' || net === 0),
      rule(
        'the payment is added to what was paid, and no longer overdue',
        same(after.calculation, withPaid(before, date, net, reference).calculation),
      ),
      notBefore(of, paymentInstant(before, date), 'a payment'),
    ]
  })

/** The swap after a payment was found overdue. */
export const withOverdue = (swap: SwapData, date: LocalDate): SwapData => ({
  ...swap,
  calculation: {
    ...swap.calculation,
    overdue: [
      ...swap.calculation.overdue.filter((overdue) => overdue.date !== date),
      { date, chased: (overdueOn(swap, date)?.chased ?? 0) + 1, chaseAt: overdueFrom(swap, date) },
    ],
  },
})

export const overdueRules = (of: Case, { date }: { readonly date: LocalDate }): readonly Rule[] =>
  becomes(of, 'an overdue notice', (change) => {
    const { before, after } = change
    const payment = paymentOn(before, date)
    return [
      ...(payment === undefined ? [] : signedBy(of, [payment.payee])),
      ...onlyChanges(change, 'overdue'),
      ...outstanding(before, date),
      rule('the payment becomes overdue', same(after.calculation, withOverdue(before, date).calculation)),
      notBefore(of, overdueFrom(before, date), `a notice about what was asked for at ${lastAsked(before, date)}`),
    ]
  })

export const matureRules = (of: Case): readonly Rule[] => {
  const [swap] = of.before
  const shape = rule(
    'a maturity consumes one state of the trade and produces none',
    of.before.length === 1 && of.after.length === 0,
  )
  if (swap === undefined) return [shape]
  return [
    shape,
    ...signedBy(of, [swap.fixed.payer, swap.floating.payer]),
    rule('no fixing is left', nextUnfixed(swap) === undefined),
    rule(
      'everything is paid',
      paymentDates(swap).every((date) => isPaid(swap, date)),
    ),
    notBefore(of, maturityInstant(swap), 'a maturity'),
  ]
}
