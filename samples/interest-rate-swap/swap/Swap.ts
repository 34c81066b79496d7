/**
 * The state and its contract. A swap says what happens to it next, when, and at which bank; all three are
 * functions of the state alone, so both banks come to the same answer without asking each other. The contract
 * takes a transaction apart by trade: each trade in it has one command, and the rules of that command decide. It
 * reads no clock and no list of holidays.
 */
import { some } from 'fp-ts/lib/Option.js'
import {
  activity,
  allOf,
  defineContract,
  defineState,
  rule,
  type Activity,
  type CommandDefinition,
  type LedgerTransaction,
  type Party,
  type Rule,
  type RunsOn,
  type StateRef,
} from 'carillon'
import type { Key } from 'carillon/keys'
import { FixCommand, type Fix } from '../oracle/Fix.js'
import {
  AgreeCommand,
  flowNames,
  MatureCommand,
  OverdueCommand,
  PayCommand,
  RefixCommand,
  SwapKind,
  type SwapData,
} from './SwapKind.js'
import { agreeRules } from './agree.js'
import { matureRules, overdueRules, payRules, refixRules, type Case } from './changes.js'
import { nextEvent, type SwapEvent } from './events.js'

/** A command about a trade, with the rules that it brings. */
type Order = {
  readonly tradeId: string
  readonly signers: readonly Key[]
  readonly rules: (of: Case) => readonly Rule[]
}

const signedFixes =
  (transaction: LedgerTransaction) =>
  ({ key }: Party): readonly Fix[] =>
    transaction.commandsOf(FixCommand).flatMap(({ data, signers }) => (signers.includes(key) ? [data] : []))

const ordersOf = (transaction: LedgerTransaction): readonly Order[] => {
  const on = <A extends { readonly tradeId: string }>(
    command: CommandDefinition<A>,
    rules: (of: Case, data: A) => readonly Rule[],
  ): readonly Order[] =>
    transaction
      .commandsOf(command)
      .map(({ data, signers }) => ({ tradeId: data.tradeId, signers, rules: (of) => rules(of, data) }))
  return [
    ...on(AgreeCommand, agreeRules),
    ...on(RefixCommand, (of, { fix }) => refixRules(of, fix, signedFixes(transaction))),
    ...on(PayCommand, payRules),
    ...on(OverdueCommand, overdueRules),
    ...on(MatureCommand, matureRules),
  ]
}

export const SwapContract = defineContract({
  name: 'swap/SwapContract',
  verify: (transaction) => {
    const before = transaction.inputsOf(SwapKind).map(({ data }) => data)
    const after = transaction.outputsOf(SwapKind).map(({ data }) => data)
    const orders = ordersOf(transaction)
    const trades = new Set([...before, ...after].map(({ common }) => common.tradeId))
    return allOf([
      rule('a transaction about a swap has a time window', transaction.timeWindow !== undefined),
      rule('there is a command about a swap', orders.length > 0),
      ...orders
        .filter(({ tradeId }) => !trades.has(tradeId))
        .map(({ tradeId }) => rule(`a command is about trade "${tradeId}", which is part of the transaction`, false)),
      ...[...trades].flatMap((tradeId) => {
        const own = orders.filter((order) => order.tradeId === tradeId)
        const of = (signers: readonly Key[]): Case => ({
          before: before.filter(({ common }) => common.tradeId === tradeId),
          after: after.filter(({ common }) => common.tradeId === tradeId),
          signers,
          timeWindow: transaction.timeWindow,
        })
        return [
          rule(`there is one command about trade "${tradeId}"`, own.length === 1),
          ...own.flatMap(({ rules, signers }) => rules(of(signers))),
        ]
      }),
    ])
  },
})

const hourMs = 3_600_000

const activityFor = (event: SwapEvent, { floating }: SwapData, swap: StateRef): Activity => {
  switch (event.kind) {
    case 'fixing':
      return activity(event.at, { name: flowNames.fixing, input: { swap, toleranceMs: floating.fixing.toleranceMs } })
    case 'payment':
      return activity(event.at, { name: flowNames.payment, input: { swap, date: event.payment.date } })
    case 'overdue':
      return activity(event.at, { name: flowNames.paymentOverdue, input: { swap, date: event.payment.date } })
    case 'maturity':
      return activity(event.at, { name: flowNames.maturity, input: { swap } })
  }
}

/**
 * Which bank acts, and when the other takes its place. Whoever pays the floating rate has it fixed; whoever owes the
 * difference pays it. When the payer stays silent the payee takes its place, not to pay, but to call it overdue.
 */
const banksFor = (event: SwapEvent, { fixed, floating, common }: SwapData): RunsOn => {
  switch (event.kind) {
    case 'fixing':
      // Not before the first has given up waiting for the rate.
      return {
        parties: [floating.payer, fixed.payer],
        takeoverAfter: { milliseconds: floating.fixing.toleranceMs + hourMs },
      }
    case 'payment':
    case 'overdue':
      return {
        parties: [event.payment.payer, event.payment.payee],
        takeoverAfter: { milliseconds: common.payments.overdueAfterMs },
      }
    case 'maturity':
      return { parties: [fixed.payer, floating.payer], takeoverAfter: { hours: 1 } }
  }
}

/** What a trade is known by. Ids are the banks' own: another pair of banks may use the same. */
export const tradeKey = ({ common, fixed, floating }: Pick<SwapData, 'common' | 'fixed' | 'floating'>): string =>
  `${common.tradeId} ${fixed.payer.name} ${floating.payer.name}`

export const Swap = defineState({
  ...SwapKind,
  contract: SwapContract,
  participants: ({ fixed, floating }) => [fixed.payer, floating.payer],
  key: tradeKey,
  nextScheduledActivity: (swap, ref) => some(activityFor(nextEvent(swap), swap, ref)),
  runsOn: (swap) => banksFor(nextEvent(swap), swap),
})
