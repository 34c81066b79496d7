/**
 * The ways in which a request is refused, by the names the seeds' chain gave them. A refusal is a value: nothing was
 * stored, nothing was charged.
 */
import * as t from 'io-ts'
import { left, type Either } from 'fp-ts/lib/Either.js'
import { CarillonError } from 'carillon'
import { record } from '../../shared/record.js'

const reasons = {
  NotSigned: 'The request is not signed.',
  EmptyMessage: 'The message is empty.',
  MessageTooLong: 'The message, or the input of the call, has more bytes than allowed.',
  NameTooLong:
    'An account, an id, a flow or an error to abort on has more than 100 bytes, or there are more than ten errors.',
  EmptyProvidedId: 'The provided id is empty.',
  InvalidAmount: 'The amount is below the smallest that may be transferred.',
  TransferToSelf: 'Sender and recipient are the same account.',
  InvalidTime: 'A time is not the beginning of a slot, the frequency is zero, or there is no time at all.',
  PastTime: 'A time is not far enough in the future.',
  TimeTooFarOut: 'A time lies beyond the horizon.',
  TooManyExecutionsTimes: 'There are more times than one task may have.',
  InsufficientBalance: 'The account cannot pay.',
  DuplicateTask: 'The account has a task with this id already.',
  TimeSlotFull: 'One of the time slots takes no more tasks.',
  TaskDoesNotExist: 'There is no such task.',
  NotTaskOwner: 'The task belongs to another account.',
  NotAllowed: 'Only root or a member of the committee may do this.',
  ScheduledTasksAlreadyStopped: 'Tasks are stopped already.',
  ScheduledTasksAlreadyRunning: 'Tasks are running already.',
  InvalidSettings: 'The settings contradict themselves.',
} as const

export const RefusalC = t.keyof(reasons, 'Refusal')
export type Refusal = t.TypeOf<typeof RefusalC>

/** What a refusal means, in a sentence. */
export const meaningOf = (refusal: Refusal): string => reasons[refusal]

export const refuse = (refusal: Refusal): Either<Refusal, never> => left(refusal)

/** How a request is refused: by the name of the reason. */
export const RefusedC = record('Refused', { ok: t.literal(false), error: RefusalC, why: t.string })
export type Refused = t.TypeOf<typeof RefusedC>

/** What a request comes to: the answer, or the name of the reason why not. */
export type Outcome<A> = Answer<A> | Refused
export type Answer<A> = { readonly ok: true } & A

/** The answer; a refusal is thrown, for surfaces that show errors. */
export const succeeded = <A>(outcome: Outcome<A>): Answer<A> => {
  if (outcome.ok) return outcome
  throw new CarillonError('recurring-tasks/refused', `${outcome.error}. ${outcome.why}`, { error: outcome.error })
}

/** The answer of a request that has nothing more to say. */
export type Done = { readonly done: true }
export const done: Done = { done: true }
