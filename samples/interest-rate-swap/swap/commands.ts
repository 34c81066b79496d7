/**
 * The commands of a swap. Each names the trade it is about, so one transaction can fix many trades at once.
 */
import { defineCommand, IntegerC } from 'carillon'
import { LocalDateC } from 'carillon/calendars'
import * as t from 'io-ts'
import { FixC } from '../oracle/Fix.js'

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
