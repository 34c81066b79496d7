/**
 * A fix: the rate of an index for a tenor on a day, as an oracle knows it; and what is said between an oracle and
 * those who ask it. The oracle signs a transaction for the Fix commands in it, and for nothing else.
 */
import * as t from 'io-ts'
import { defineCommand } from 'carillon'
import { LocalDateC, TenorC } from 'carillon/calendars'
import { record } from '../../shared/record.js'
import { RateC } from '../money.js'

/** What is asked of an oracle: which index, of which day, for which tenor. */
export const FixOfC = record('FixOf', { index: t.string, day: LocalDateC, tenor: TenorC })
export type FixOf = t.TypeOf<typeof FixOfC>

/** What it answers. */
export const FixC = record('Fix', { of: FixOfC, rate: RateC })
export type Fix = t.TypeOf<typeof FixC>

export const FixCommand = defineCommand({ type: 'rates/Fix', data: FixC })

export const sameFixOf = (a: FixOf, b: FixOf): boolean => a.index === b.index && a.day === b.day && a.tenor === b.tenor

export const showFixOf = ({ index, day, tenor }: FixOf): string => `${index} ${tenor} of ${day}`

export const oracleFlows = { query: 'rates/Query', sign: 'rates/AskToSign' } as const

export const QueryC = t.strict({ of: t.readonlyArray(FixOfC) })

/** All the rates that were asked for, or the first that is not known. */
export const AnswerC = t.union([
  t.strict({ type: t.literal('known'), fixes: t.readonlyArray(FixC) }),
  t.strict({ type: t.literal('unknown'), of: FixOfC }),
])
export type Answer = t.TypeOf<typeof AnswerC>
