/**
 * Everything two banks agree on. What follows from it, the schedules, is not part of it.
 */
import { PartyC } from 'carillon'
import * as t from 'io-ts'
import { CommonC } from './Common.js'
import { FixedLegC, FloatingLegC } from './Leg.js'

export const termFields = { fixed: FixedLegC, floating: FloatingLegC, common: CommonC, oracle: PartyC }

export const TermsC = t.readonly(t.strict(termFields), 'Terms')
export type Terms = t.TypeOf<typeof TermsC>
