/**
 * What a swap is made of: its terms, which never change, and its calculation, which does. State and contract both
 * need this, so it stands apart from them.
 */
import * as t from 'io-ts'
import { CalculationC } from '../schedule/Calculation.js'
import { termFields } from '../terms/Terms.js'

export const SwapC = t.readonly(t.strict({ ...termFields, calculation: CalculationC }), 'Swap')
export type SwapData = t.TypeOf<typeof SwapC>

/** The kind of state a swap is kept in. */
export const SwapKind = { type: 'swap/Swap', data: SwapC } as const
