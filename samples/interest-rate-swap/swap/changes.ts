/**
 * The rules of what happens to an agreed trade within a transaction: a fixing, by which the next period in turn
 * gets the rate that the oracle has signed for it; a payment; a notice that one is overdue; and the end. Nothing
 * else changes by any of them, and none is early.
 */
import { isDeepStrictEqual } from 'node:util'
import { rule, type Instant, type Party, type Rule, type TimeWindow } from 'carillon'
import type { LocalDate } from 'carillon/calendars'
import type { Key } from 'carillon/keys'
import { flowOf } from '../money.js'
import { sameFixOf, type Fix } from '../oracle/Fix.js'
import type { FloatingPeriod } from '../schedule.js'
import type { SwapData } from './SwapKind.js'
import {
  fixingInstant,
  lastAsked,
  maturityInstant,
  nextUnfixed,
  overdueFrom,
  overdueOn,
  paymentDates,
  paymentInstant,
  paymentOn,
} from './events.js'

export type Case = {
  readonly before: readonly SwapData[]
  readonly after: readonly SwapData[]
  readonly signers: readonly Key[]
  readonly timeWindow: TimeWindow | undefined
}

/** A case in which one swap becomes another. */
export type Change = { readonly before: SwapData; readonly after: SwapData }

export const signedBy = ({ signers }: Case, parties: readonly Party[]): readonly Rule[] =>
  parties.map(({ name, key }) => rule(`${name} must be a signer of the command`, signers.includes(key)))

/** That something is not early is for the notary to check: the window must begin when it is due, or later. */
export const notBefore = ({ timeWindow }: Case, due: Instant, what: string): Rule =>
  rule(
    `${what} is not early: the time window begins at ${due} or later`,
    timeWindow?.from !== undefined && timeWindow.from >= due,
  )

/** The rules for a swap that goes on as another; without one before and one after there is nothing to compare. */
export const becomes = (of: Case, what: string, rules: (change: Change) => readonly Rule[]): readonly Rule[] => {
  const [before] = of.before
  const [after] = of.after
  const isOne = of.before.length === 1 && of.after.length === 1
  const shape = rule(`${what} consumes one state of the trade and produces one`, isOne)
  return before === undefined || after === undefined || !isOne ? [shape] : [shape, ...rules({ before, after })]
}

/** The terms never change, and of the calculation only what the command is about. */
export const onlyChanges = (
  { before, after }: Change,
  ...parts: readonly ('floating' | 'paid' | 'overdue')[]
): readonly Rule[] => [
  rule('the fixed leg does not change', isDeepStrictEqual(before.fixed, after.fixed)),
  rule('the floating leg does not change', isDeepStrictEqual(before.floating, after.floating)),
  rule('the common terms do not change', isDeepStrictEqual(before.common, after.common)),
  rule('the oracle does not change', isDeepStrictEqual(before.oracle, after.oracle)),
  rule('the expression does not change', before.calculation.expression === after.calculation.expression),
  rule('the fixed schedule does not change', isDeepStrictEqual(before.calculation.fixed, after.calculation.fixed)),
  ...(['floating', 'paid', 'overdue'] as const)
    .filter((part) => !parts.includes(part))
    .map((part) =>
      rule(
        {
          floating: 'the floating schedule does not change',
          paid: 'what was paid stays as it is',
          overdue: 'what is overdue stays as it is',
        }[part],
        isDeepStrictEqual(before.calculation[part], after.calculation[part]),
      ),
    ),
]

/** The period as it must be once it has its rate. */
export const fixedAt = (swap: SwapData, period: FloatingPeriod, fix: Fix): FloatingPeriod => ({
  ...period,
  rate: fix.rate,
  flow: flowOf(swap.floating.notional.minor, fix.rate, period.factor, swap.common.rounding),
})

const periodRules = (of: Case, { before, after }: Change, fix: Fix): readonly Rule[] => {
  const due = nextUnfixed(before)
  if (due === undefined) return [rule('there is a period left to fix', false)]
  const { name, tenor } = before.floating.index
  const rows = before.calculation.floating
  const changed = rows.flatMap((row, index) => {
    const now = after.calculation.floating[index]
    return now === undefined || isDeepStrictEqual(row, now) ? [] : [{ row, now }]
  })
  const [only] = changed
  return [
    rule('at least one period of the floating schedule changes', changed.length > 0),
    rule('only one period of the floating schedule changes', changed.length <= 1),
    rule('the periods are fixed in their order', only === undefined || only.row === due),
    rule(
      'a rate that was fixed stays as it is',
      changed.every(({ row }) => row.rate === null),
    ),
    rule(
      'the fix is for the index, the tenor and the fixing date of the period',
      sameFixOf(fix.of, { index: name, day: due.fixes, tenor }),
    ),
    rule('the period gets the rate of the fix', only === undefined || only.now.rate === fix.rate),
    rule(
      'the flow of the period is its notional at the rate of the fix',
      only === undefined || only.now.flow === fixedAt(before, only.row, fix).flow,
    ),
    rule(
      'dates, days and factor of the period stay as they are',
      only === undefined || isDeepStrictEqual({ ...only.row, rate: only.now.rate, flow: only.now.flow }, only.now),
    ),
    notBefore(of, fixingInstant(before, due), 'a fixing'),
  ]
}

/** `signedFixes` are the fixes that the transaction asks the trade's oracle to sign for. */
export const refixRules = (
  of: Case,
  fix: Fix,
  signedFixes: (oracle: SwapData['oracle']) => readonly Fix[],
): readonly Rule[] =>
  becomes(of, 'a fixing', (change) => {
    const { before, after } = change
    const rowsBefore = before.calculation.floating.length
    const rowsAfter = after.calculation.floating.length
    return [
      ...signedBy(of, [before.fixed.payer, before.floating.payer]),
      rule(
        `${before.oracle.name} signs the very fix that is applied`,
        signedFixes(before.oracle).some((signed) => isDeepStrictEqual(signed, fix)),
      ),
      ...onlyChanges(change, 'floating'),
      rule(
        `the floating schedule keeps its ${rowsBefore} periods, and does not have ${rowsAfter}`,
        rowsBefore === rowsAfter,
      ),
      ...periodRules(of, change, fix),
    ]
  })

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
        isDeepStrictEqual(after.calculation, withPaid(before, date, net, reference).calculation),
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
      rule('the payment becomes overdue', isDeepStrictEqual(after.calculation, withOverdue(before, date).calculation)),
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
