/**
 * The state: a swap that says what happens to it next, when, and at which bank. All three are functions of the state
 * alone, so both banks come to the same answer without asking each other.
 */
import { activity, defineState, type Activity, type RunsOn, type StateRef } from 'carillon'
import { some } from 'fp-ts/lib/Option.js'
import { nextEvent, type SwapEvent } from './events.js'
import { flowNames } from './flowNames.js'
import { SwapContract } from './SwapContract.js'
import { SwapKind, type SwapData } from './SwapKind.js'

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
