/**
 * How a trade rounds. It is part of its terms: two banks that round differently owe each other different sums, and
 * neither is wrong.
 */
import { Decimal } from 'decimal.js'
import { IntegerC } from 'carillon'
import * as t from 'io-ts'

/** `half-up` and `half-even` are to the nearest; `down` is towards zero and `up` away from it, `floor` and `ceiling` do not mind the sign. */
export const RoundingModeC = t.keyof(
  { 'half-up': null, 'half-even': null, down: null, up: null, floor: null, ceiling: null },
  'RoundingMode',
)
export type RoundingMode = t.TypeOf<typeof RoundingModeC>

export const RoundingC = t.readonly(
  t.strict({
    /** The steps in which a day count factor is rounded, one after the other. None: it stays exact. */
    factor: t.readonlyArray(t.readonly(t.strict({ decimals: IntegerC, mode: RoundingModeC }))),
    /** How a flow becomes whole minor units. */
    flow: RoundingModeC,
  }),
  'Rounding',
)
export type Rounding = t.TypeOf<typeof RoundingC>

/** To the nearest minor unit, and nothing before that. */
export const plainRounding: Rounding = { factor: [], flow: 'half-up' }

/** Factors to eight places and then to four, both half up; flows cut off. */
export const twiceRounded: Rounding = {
  factor: [
    { decimals: 8, mode: 'half-up' },
    { decimals: 4, mode: 'half-up' },
  ],
  flow: 'down',
}

const modes: Readonly<Record<RoundingMode, Decimal.Rounding>> = {
  'half-up': Decimal.ROUND_HALF_UP,
  'half-even': Decimal.ROUND_HALF_EVEN,
  down: Decimal.ROUND_DOWN,
  up: Decimal.ROUND_UP,
  floor: Decimal.ROUND_FLOOR,
  ceiling: Decimal.ROUND_CEIL,
}

export const round = (value: Decimal, decimals: number, mode: RoundingMode): Decimal =>
  value.toDecimalPlaces(decimals, modes[mode])
