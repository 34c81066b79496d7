/**
 * A fix: the rate of an index for a tenor on a day, as an oracle knows it. The oracle signs a transaction for the
 * Fix commands in it, and for nothing else.
 */
import { defineCommand } from 'carillon'
import { LocalDateC, TenorC } from 'carillon/calendars'
import * as t from 'io-ts'
import { RateC } from '../money/Rate.js'

/** What is asked of an oracle: which index, of which day, for which tenor. */
export const FixOfC = t.readonly(t.strict({ index: t.string, day: LocalDateC, tenor: TenorC }), 'FixOf')
export type FixOf = t.TypeOf<typeof FixOfC>

/** What it answers. */
export const FixC = t.readonly(t.strict({ of: FixOfC, rate: RateC }), 'Fix')
export type Fix = t.TypeOf<typeof FixC>

export const FixCommand = defineCommand({ type: 'rates/Fix', data: FixC })

export const sameFixOf = (a: FixOf, b: FixOf): boolean => a.index === b.index && a.day === b.day && a.tenor === b.tenor

export const showFixOf = ({ index, day, tenor }: FixOf): string => `${index} ${tenor} of ${day}`
