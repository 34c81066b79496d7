/**
 * What a swap is made of: its terms, which never change, and its calculation, which does; its commands, each of
 * which names the trade it is about, so that one transaction can fix many trades at once; and the flows that it
 * asks for. State, contract and flows all need this, so it stands apart from them.
 */
import * as t from 'io-ts'
import { defineCommand, IntegerC } from 'carillon'
import { LocalDateC } from 'carillon/calendars'
import { record } from '../../shared/record.js'
import { FixC } from '../oracle/Fix.js'
import { CalculationC } from '../schedule.js'
import { termFields } from '../terms/Terms.js'

export const SwapC = record('Swap', { ...termFields, calculation: CalculationC })
export type SwapData = t.TypeOf<typeof SwapC>

/** The kind of state a swap is kept in. */
export const SwapKind = { type: 'swap/Swap', data: SwapC } as const

export const flowNames = {
  fixing: 'swap/Fixing',
  payment: 'swap/Payment',
  paymentOverdue: 'swap/PaymentOverdue',
  maturity: 'swap/Maturity',
} as const

const tradeId = t.string

/** Two banks agree on a trade. Both sign. */
export const AgreeCommand = defineCommand({ type: 'swap/Agree', data: t.strict({ tradeId }) })

/** A period of the floating leg gets its rate. Both sign, and the oracle signs the fix. */
export const RefixCommand = defineCommand({ type: 'swap/Refix', data: t.strict({ tradeId, fix: FixC }) })

/** What was due on a date is paid, and both sign that it is. */
export const PayCommand = defineCommand({
  type: 'swap/Pay',
  data: t.strict({ tradeId, date: LocalDateC, net: IntegerC, reference: t.string }),
})

/** What was due on a date did not come, says the bank that waits for it, and signs alone. */
export const OverdueCommand = defineCommand({ type: 'swap/Overdue', data: t.strict({ tradeId, date: LocalDateC }) })

/** Everything is fixed and paid, and the trade ends. Both sign. */
export const MatureCommand = defineCommand({ type: 'swap/Mature', data: t.strict({ tradeId }) })
