/**
 * The function to execute for a given trigger: fire an event with custom text, move money between two accounts, or
 * call a flow of the app.
 */
import * as t from 'io-ts'
import { right, type Either } from 'fp-ts/lib/Either.js'
import { canonicalText, IntegerC, JsonC } from 'carillon'
import { AccountIdC, isShortName, type AccountId } from './Origin.js'
import { refuse, type Refusal } from './Refusal.js'
import { messageLimits, type Settings } from './Settings.js'

export const ActionC = t.union(
  [
    t.readonly(t.strict({ kind: t.literal('notify'), message: t.string })),
    t.readonly(t.strict({ kind: t.literal('transfer'), to: AccountIdC, amount: IntegerC })),
    t.readonly(t.strict({ kind: t.literal('call'), flow: t.string, input: JsonC })),
  ],
  'Action',
)
export type Action = t.TypeOf<typeof ActionC>

/** How many bytes of text an action brings along, which every sweep that runs it has to carry. */
const bytesOf = (action: Action): number => {
  switch (action.kind) {
    case 'notify':
      return Buffer.byteLength(action.message)
    case 'transfer':
      return 0
    case 'call':
      return Buffer.byteLength(canonicalText(action.input))
  }
}

export const weightOf = (action: Action, settings: Settings): number =>
  settings.actionWeight[action.kind] + Math.floor(bytesOf(action) / 100) * messageLimits(settings).weightPer100Bytes

/** Fee of so many executions of an action. */
export const feeFor = (action: Action, executions: number, settings: Settings): number =>
  weightOf(action, settings) * executions * settings.feePerWeight

export const checkAction = (action: Action, owner: AccountId, settings: Settings): Either<Refusal, Action> => {
  switch (action.kind) {
    case 'notify':
      if (action.message === '') return refuse('EmptyMessage')
      return bytesOf(action) > messageLimits(settings).messageBytes ? refuse('MessageTooLong') : right(action)
    case 'transfer':
      if (action.amount < settings.smallestAmount) return refuse('InvalidAmount')
      if (!isShortName(action.to)) return refuse('NameTooLong')
      return action.to === owner ? refuse('TransferToSelf') : right(action)
    case 'call':
      // Whether the call can be decoded shows when it is made: the app may have changed by then.
      if (!isShortName(action.flow)) return refuse('NameTooLong')
      return bytesOf(action) > messageLimits(settings).messageBytes ? refuse('MessageTooLong') : right(action)
  }
}
