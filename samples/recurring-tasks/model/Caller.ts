/**
 * What a called flow is told about its call: whose task made it, by the registry's word. What else it takes is what the
 * task was scheduled with.
 */
import * as t from 'io-ts'
import { IntegerC } from 'carillon'
import { AccountIdC, OriginC } from './Origin.js'

export const CallerC = t.readonly(
  t.strict({ owner: AccountIdC, origin: OriginC, task: t.string, at: IntegerC }),
  'Caller',
)
export type Caller = t.TypeOf<typeof CallerC>

/** The input of a flow that tasks may call. */
export const calledWith = <A>(input: t.Type<A, unknown>) => t.readonly(t.strict({ caller: CallerC, input }), 'Called')
