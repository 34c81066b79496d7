/**
 * The account of all executions, drawn up from the log: each execution of each task ends exactly once, as executed,
 * failed or missed.
 */
import type { TaskEvent } from './model/TaskEvent.js'

export type ExecutionAccount = {
  readonly executed: number
  readonly failed: number
  readonly missed: number
  /** Executions that ended more than once, as `task@slot`. There must be none. */
  readonly doubled: readonly string[]
  /** Every execution that ended, as `task@slot`. */
  readonly ended: ReadonlySet<string>
}

const endings = { TaskExecuted: 'executed', TaskExecutionFailed: 'failed', TaskMissed: 'missed' } as const

const isEnding = (event: TaskEvent['event']): event is keyof typeof endings => Object.hasOwn(endings, event)

export const accountOf = async (events: AsyncIterable<TaskEvent>): Promise<ExecutionAccount> => {
  const counts = { executed: 0, failed: 0, missed: 0 }
  const ended = new Set<string>()
  const doubled: string[] = []
  for await (const { event, id = '?', at = 0 } of events) {
    if (!isEnding(event)) continue
    counts[endings[event]] += 1
    const execution = `${id}@${at}`
    if (ended.has(execution)) doubled.push(execution)
    ended.add(execution)
  }
  return { ...counts, doubled, ended }
}
