/**
 * The rules of a fixing: the next period in turn gets the rate that the oracle has signed for it, and nothing else
 * changes.
 */
import { rule, type Rule } from 'carillon'
import { flowOf } from '../../money/flow.js'
import { sameFixOf, type Fix } from '../../oracle/Fix.js'
import type { FloatingPeriod } from '../../schedule/Calculation.js'
import { fixingInstant, nextUnfixed } from '../events.js'
import type { SwapData } from '../SwapKind.js'
import { becomes, notBefore, onlyChanges, same, signedBy, type Case, type Change } from './Case.js'

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
    return now === undefined || same(row, now) ? [] : [{ row, now }]
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
      only === undefined || same({ ...only.row, rate: only.now.rate, flow: only.now.flow }, only.now),
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
        signedFixes(before.oracle).some((signed) => same(signed, fix)),
      ),
      ...onlyChanges(change, 'floating'),
      rule(
        `the floating schedule keeps its ${rowsBefore} periods, and does not have ${rowsAfter}`,
        rowsBefore === rowsAfter,
      ),
      ...periodRules(of, change, fix),
    ]
  })
