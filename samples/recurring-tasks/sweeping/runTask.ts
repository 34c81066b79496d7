/**
 * Executes the action of one task, now. The outcome is an event; money moves in the same transaction.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import type { FlowBody } from 'carillon'
import type { Books } from '../Books.js'
import type { Task } from '../model/Task.js'
import { instantOf, type UnixTime } from '../model/timeSlots.js'
import { transfer } from '../money.js'
import { settleExecution, type Ended } from './settleExecution.js'

const act = function* (books: Books, task: Task, at: UnixTime): FlowBody<Ended> {
  const { action, owner, id } = task
  const about = { id, who: owner, at }
  switch (action.kind) {
    case 'notify':
      books.tell({ event: 'Notify', ...about, message: action.message })
      return { kind: 'executed' }
    case 'transfer': {
      const moved = yield* transfer(books, owner, action.to, action.amount)
      if (isLeft(moved)) {
        books.tell({ event: 'TransferFailed', ...about, error: moved.left })
        return { kind: 'failed', error: moved.left }
      }
      books.tell({ event: 'SuccessfullyTransferredFunds', ...about })
      return { kind: 'executed' }
    }
    case 'call':
      yield* books.calls.put(books.io, `${id} ${at}`, {
        operator: books.io.me,
        task: id,
        incarnation: task.incarnation,
        owner,
        at,
        startAt: instantOf(books.now),
        flow: action.flow,
        input: action.input,
      })
      return { kind: 'triggered' }
  }
}

/** Makes known how an execution ended; a call that is under way has not ended. */
export const tellEnd = (books: Books, { id, owner }: Pick<Task, 'id' | 'owner'>, at: UnixTime, ended: Ended): void => {
  const about = { id, who: owner, at }
  if (ended.kind === 'executed') books.tell({ event: 'TaskExecuted', ...about })
  if (ended.kind === 'failed') books.tell({ event: 'TaskExecutionFailed', ...about, error: ended.error })
  if (ended.kind === 'missed') books.tell({ event: 'TaskMissed', ...about })
}

export const runTask = function* (books: Books, task: Task, at: UnixTime): FlowBody<void> {
  books.tell({ event: 'TaskTriggered', id: task.id, who: task.owner, at })
  const ended = yield* act(books, task, at)
  tellEnd(books, task, at, ended)
  yield* settleExecution(books, task, ended)
}
