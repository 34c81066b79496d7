/**
 * What is said between an oracle and those who ask it. The flows that ask are named here, so that neither side needs
 * the other's code.
 */
import * as t from 'io-ts'
import { FixC, FixOfC } from './Fix.js'

export const oracleFlows = { query: 'rates/Query', sign: 'rates/AskToSign' } as const

export const QueryC = t.strict({ of: t.readonlyArray(FixOfC) })

/** All the rates that were asked for, or the first that is not known. */
export const AnswerC = t.union([
  t.strict({ type: t.literal('known'), fixes: t.readonlyArray(FixC) }),
  t.strict({ type: t.literal('unknown'), of: FixOfC }),
])
export type Answer = t.TypeOf<typeof AnswerC>
