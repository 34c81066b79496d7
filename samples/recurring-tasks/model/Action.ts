/**
 * The function to execute for a given trigger: fire an event with custom text, move money between two accounts, or
 * call a flow of the app.
 */
import * as t from 'io-ts'
import { right, type Either } from 'fp-ts/lib/Either.js'
import { IntegerC, JsonC } from 'carillon'
import { AccountIdC, type AccountId } from './Origin.js'
import { refuse, type Refusal } from './Refusal.js'
import type { Settings } from './Settings.js'

export const ActionC = t.union(
  [
    t.readonly(t.strict({ kind: t.literal('notify'), message: t.string })),
    t.readonly(t.strict({ kind: t.literal('transfer'), to: AccountIdC, amount: IntegerC })),
    t.readonly(t.strict({ kind: t.literal('call'), flow: t.string, input: JsonC })),
  ],
  'Action',
)
export type Action = t.TypeOf<typeof ActionC>

export const weightOf = (action: Action, { actionWeight }: Settings): number => actionWeight[action.kind]

/** Fee of so many executions of an action. */
export const feeFor = (action: Action, executions: number, settings: Settings): number =>
  weightOf(action, settings) * executions * settings.feePerWeight

export const checkAction = (action: Action, owner: AccountId, settings: Settings): Either<Refusal, Action> => {
  switch (action.kind) {
    case 'notify':
      return action.message === '' ? refuse('EmptyMessage') : right(action)
    case 'transfer':
      if (action.amount < settings.smallestAmount) return refuse('InvalidAmount')
      return action.to === owner ? refuse('TransferToSelf') : right(action)
    case 'call':
      // Whether the call can be decoded shows when it is made: the app may have changed by then.
      return right(action)
  }
}
