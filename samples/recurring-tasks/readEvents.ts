/**
 * The registry's events, read back out of the node's log. There is no other record of them.
 */
import { isRight } from 'fp-ts/lib/Either.js'
import { readonlyArray, strict } from 'io-ts'
import type { Node } from 'carillon'
import { decodeEvent } from 'carillon/logs'
import { TaskEventC, type TaskEvent } from './model/TaskEvent.js'

const ToldC = strict({ events: readonlyArray(TaskEventC) })

/** Every event from a revision of the log on, in order. */
export const readEvents = async function* (node: Node, fromRevision = 0): AsyncGenerator<TaskEvent> {
  for await (const tick of node.readLog(fromRevision)) {
    for (const [index, line] of tick.events.entries()) {
      const event = decodeEvent(line, tick.firstRevision + index)
      if (event.type !== 'TransactionRecorded' || !('commands' in event.body)) continue
      for (const { type, data } of event.body.commands) {
        const told = type.startsWith('recurring-tasks/') ? ToldC.decode(data) : undefined
        if (told !== undefined && isRight(told)) yield* told.right.events
      }
    }
  }
}
