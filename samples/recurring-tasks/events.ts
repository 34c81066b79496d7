/**
 * What the registry tells the world. Events travel in the commands of its transactions, so they are facts of the log and
 * there is no second place they could be lost in: here they are read back, and the account of all executions is drawn up
 * from them. Each execution of each task ends exactly once, as executed, failed or missed.
 */
import { isRight } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { IntegerC, type Node } from 'carillon'
import { record } from '../shared/record.js'
import { readCommands, type Commanded } from '../shared/readCommands.js'
import { instantOf } from './model/slots.js'

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

export const TaskEventC = record(
  'TaskEvent',
  { event: t.keyof(names) },
  {
    /** The task and its owner. */
    id: t.string,
    who: t.string,
    /** The slot it is about. */
    at: IntegerC,
    message: t.string,
    error: t.string,
    /** Executions that were paid for and will not happen. */
    unused: IntegerC,
  },
)
export type TaskEvent = t.TypeOf<typeof TaskEventC>

/** What a transaction of the registry carries. */
export const ToldC = t.strict({ events: t.readonlyArray(TaskEventC) })

/** An event in a line, for people. What accounts have written may move no cursor. */
export const inWords = ({ event, who, id, at, message, error, unused }: TaskEvent): string => {
  const slot = at === undefined ? undefined : `slot ${instantOf(at)}`
  const left = unused === undefined ? undefined : `${unused} unused`
  const parts = [event, who, id?.slice(0, 8), slot, message, error, left].filter((part) => part !== undefined)
  return parts.join('  ').replaceAll(/\p{Cc}/gu, '·')
}

/** What the commands of a transaction tell. */
export const eventsOf = (commands: Commanded['commands']): readonly TaskEvent[] =>
  commands.flatMap(({ type, data }) => {
    const told = type.startsWith('recurring-tasks/') ? ToldC.decode(data) : undefined
    return told !== undefined && isRight(told) ? told.right.events : []
  })

/** Every event from a revision of the log on, in order. */
export const readEvents = async function* (node: Node, fromRevision = 0): AsyncGenerator<TaskEvent> {
  for await (const { commands } of readCommands(node, fromRevision)) yield* eventsOf(commands)
}

export type ExecutionAccount = {
  readonly executed: number
  readonly failed: number
  readonly missed: number
  /** Executions that ended more than once, as `task@slot`. There must be none. */
  readonly doubled: readonly string[]
  /** Every execution that ended, as `task@slot`. */
  readonly ended: ReadonlySet<string>
}

/** How an execution may end, and what is told then. */
export const endings = { executed: 'TaskExecuted', failed: 'TaskExecutionFailed', missed: 'TaskMissed' } as const
const kinds = ['executed', 'failed', 'missed'] as const

export const accountOf = async (events: AsyncIterable<TaskEvent>): Promise<ExecutionAccount> => {
  const counts = { executed: 0, failed: 0, missed: 0 }
  const ended = new Set<string>()
  const doubled: string[] = []
  for await (const { event, id = '?', at = 0 } of events) {
    const kind = kinds.find((each) => endings[each] === event)
    if (kind === undefined) continue
    counts[kind] += 1
    const execution = `${id}@${at}`
    if (ended.has(execution)) doubled.push(execution)
    ended.add(execution)
  }
  return { ...counts, doubled, ended }
}
