/**
 * What the registry tells the world. Events travel in the commands of its transactions, so they are facts of the log
 * and there is no second place they could be lost in.
 */
import * as t from 'io-ts'
import { IntegerC } from 'carillon'
import { instantOf } from './timeSlots.js'

const names = {
  TaskScheduled: null,
  TaskTriggered: null,
  Notify: null,
  SuccessfullyTransferredFunds: null,
  TransferFailed: null,
  TaskExecuted: null,
  TaskExecutionFailed: null,
  TaskMissed: null,
  TaskRescheduled: null,
  TaskNotRescheduled: null,
  TaskRescheduleFailed: null,
  TaskCompleted: null,
  TaskCancelled: null,
  TaskNotFound: null,
  SweepFailed: null,
  ScheduledTasksStopped: null,
  ScheduledTasksResumed: null,
} as const

export const TaskEventC = t.readonly(
  t.intersection([
    t.strict({ event: t.keyof(names) }),
    t.exact(
      t.partial({
        /** The task and its owner. */
        id: t.string,
        who: t.string,
        /** The slot it is about. */
        at: IntegerC,
        message: t.string,
        error: t.string,
        /** Executions that were paid for and will not happen. */
        unused: IntegerC,
      }),
    ),
  ]),
  'TaskEvent',
)
export type TaskEvent = t.TypeOf<typeof TaskEventC>

/** An event in a line, for people. */
export const inWords = ({ event, who, id, at, message, error, unused }: TaskEvent): string =>
  [
    event,
    who,
    id?.slice(0, 8),
    at === undefined ? undefined : `slot ${instantOf(at)}`,
    message,
    error,
    unused === undefined ? undefined : `${unused} unused`,
  ]
    .filter((part) => part !== undefined)
    .join('  ')
