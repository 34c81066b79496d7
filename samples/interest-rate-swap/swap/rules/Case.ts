/**
 * What happens to one trade within a transaction: as it was, as it becomes, and when the notary may let it happen.
 */
import { rule, type Instant, type Party, type Rule, type TimeWindow } from 'carillon'
import type { Key } from 'carillon/keys'
import type { SwapData } from '../SwapKind.js'

export type Case = {
  readonly before: readonly SwapData[]
  readonly after: readonly SwapData[]
  readonly signers: readonly Key[]
  readonly timeWindow: TimeWindow | undefined
}

/** A case in which one swap becomes another. */
export type Change = { readonly before: SwapData; readonly after: SwapData }

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** Whether two parts of a swap say the same: a contract does this for every row of both legs, so it makes no text. */
export const same = (a: unknown, b: unknown): boolean => {
  if (a === b) return true
  if (!isObject(a) || !isObject(b) || Array.isArray(a) !== Array.isArray(b)) return false
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && same(a[key], b[key]))
}

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
  rule('the fixed leg does not change', same(before.fixed, after.fixed)),
  rule('the floating leg does not change', same(before.floating, after.floating)),
  rule('the common terms do not change', same(before.common, after.common)),
  rule('the oracle does not change', same(before.oracle, after.oracle)),
  rule('the expression does not change', before.calculation.expression === after.calculation.expression),
  rule('the fixed schedule does not change', same(before.calculation.fixed, after.calculation.fixed)),
  ...(['floating', 'paid', 'overdue'] as const)
    .filter((part) => !parts.includes(part))
    .map((part) =>
      rule(
        {
          floating: 'the floating schedule does not change',
          paid: 'what was paid stays as it is',
          overdue: 'what is overdue stays as it is',
        }[part],
        same(before.calculation[part], after.calculation[part]),
      ),
    ),
]
