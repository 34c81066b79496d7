/**
 * Cancels a task: takes it out of all remaining slots in descending order, out of both queues, and out of the task
 * map. The owner may, and root. Nothing is refunded; the event says what was left unused.
 */
import * as t from 'io-ts'
import { right, type Either } from 'fp-ts/lib/Either.js'
import type { FlowBody } from 'carillon'
import { remove } from '../booking.js'
import { defineRequest, type Books } from '../Books.js'
import { commands } from '../contract.js'
import { OriginC } from '../model/Origin.js'
import { refuse, type Refusal } from '../model/Refusal.js'
import { knownExecutions } from '../model/Schedule.js'

export const CancelTaskC = t.readonly(t.strict({ origin: OriginC, id: t.string }), 'CancelTask')
export type CancelTask = t.TypeOf<typeof CancelTaskC>

export type Cancelled = {
  readonly id: string
  /** Executions that were paid for and will not happen. */
  readonly unused: number
}

const work = function* (books: Books, { origin, id }: CancelTask): FlowBody<Either<Refusal, Cancelled>> {
  if (origin.kind === 'unsigned') return refuse('NotSigned')
  const task = yield* books.taskMap.get(books.io, id)
  if (task === undefined) return refuse('TaskDoesNotExist')
  if (origin.kind === 'signed' && origin.account !== task.owner) return refuse('NotTaskOwner')

  const unused = knownExecutions(task.schedule)
  if ((yield* remove(books, task)) === 0) books.tell({ event: 'TaskNotFound', id, who: task.owner })
  books.tell({ event: 'TaskCancelled', id, who: task.owner, unused })
  return right({ id, unused })
}

export const CancelTask = defineRequest({ name: 'CancelTask', input: CancelTaskC, purpose: commands.cancel, work })
