/**
 * The contract of a swap. It takes a transaction apart by trade: each trade in it has one command, and the rules of
 * that command decide. It reads no clock and no list of holidays.
 */
import { allOf, defineContract, rule, type LedgerTransaction, type Party, type Rule } from 'carillon'
import type { Key } from 'carillon/keys'
import { FixCommand, type Fix } from '../oracle/Fix.js'
import { AgreeCommand, MatureCommand, OverdueCommand, PayCommand, RefixCommand } from './commands.js'
import { agreeRules } from './rules/agree.js'
import type { Case } from './rules/Case.js'
import { matureRules, overdueRules, payRules } from './rules/pay.js'
import { refixRules } from './rules/refix.js'
import { SwapKind } from './SwapKind.js'

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

const ordersOf = (transaction: LedgerTransaction): readonly Order[] => [
  ...transaction
    .commandsOf(AgreeCommand)
    .map(({ data: { tradeId }, signers }) => ({ tradeId, signers, rules: agreeRules })),
  ...transaction.commandsOf(RefixCommand).map(({ data: { tradeId, fix }, signers }) => ({
    tradeId,
    signers,
    rules: (of: Case) => refixRules(of, fix, signedFixes(transaction)),
  })),
  ...transaction
    .commandsOf(PayCommand)
    .map(({ data, signers }) => ({ tradeId: data.tradeId, signers, rules: (of: Case) => payRules(of, data) })),
  ...transaction
    .commandsOf(OverdueCommand)
    .map(({ data, signers }) => ({ tradeId: data.tradeId, signers, rules: (of: Case) => overdueRules(of, data) })),
  ...transaction
    .commandsOf(MatureCommand)
    .map(({ data: { tradeId }, signers }) => ({ tradeId, signers, rules: matureRules })),
]

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
