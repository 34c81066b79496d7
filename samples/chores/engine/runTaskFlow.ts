/**
 * A task at work. `Continue` means again at once, so the flow goes on with the next chunk after a look whether its
 * state is still there: a stop or a timeout consumes it, and then the chunk under way was the last.
 */
import * as t from 'io-ts'
import {
  defineFlow,
  showRef,
  StateRefC,
  type FlowBody,
  type FlowDefinition,
  type FlowIo,
  type StateAndRef,
} from 'carillon'
import { flowNames } from './flowNames.js'
import { happening, HappeningCommand, type Happening } from './Happening.js'
import { isUnconsumed } from './latest.js'
import type { Stage } from './Stage.js'
import { Task, type TaskData } from './TaskState.js'
import { TaskTurnC, type TaskTurn } from './turns.js'

/** A flow's record is bounded, so after so many chunks the next flow takes over. */
const chunksPerFlow = 50

const move = function* (
  io: FlowIo,
  task: StateAndRef<TaskData>,
  change: Partial<TaskData>,
  kind: Happening['kind'],
): FlowBody<void> {
  yield* io.finalise((tx) =>
    tx
      .consume(task)
      .produce(Task, { ...task.data, ...change })
      .command(HappeningCommand, [task.data.owner], happening(task.data, kind, { text: task.data.taskId })),
  )
}

const complete = function* (
  io: FlowIo,
  task: StateAndRef<TaskData>,
  outcome: NonNullable<TaskData['outcome']>,
): FlowBody<string> {
  // A late completion finds its state consumed, and that is the end of it.
  if (!(yield* isUnconsumed(io, Task, task.ref))) return 'late'
  yield* move(io, task, { outcome }, outcome.succeeded ? 'task-completed' : 'task-failed')
  return outcome.succeeded ? 'completed' : 'failed'
}

export const defineRunTask = (stage: Stage): FlowDefinition<{ readonly task: t.TypeOf<typeof StateRefC> }, string> =>
  defineFlow({
    name: flowNames.runTask,
    schedulable: true,
    input: t.strict({ task: StateRefC }),
    *run(io, { task: ref }): FlowBody<string> {
      const task = yield* io.load(Task, ref)
      const { ticks } = task.data
      for (let chunk = 0; chunk < chunksPerFlow; chunk++) {
        if (chunk > 0 && !(yield* isUnconsumed(io, Task, ref))) return 'stopped'
        const turn = yield* io.step<TaskTurn>(
          `chunk ${ticks + chunk}`,
          ({ term }) => (term === task.data.life ? stage.runTask(showRef(ref), task.data) : { kind: 'gone' }),
          { result: TaskTurnC, retry: { attempts: 1 } },
        )
        switch (turn.kind) {
          case 'gone':
            return 'gone'
          case 'Done':
            return yield* complete(io, task, { succeeded: true, error: null })
          case 'Error':
            return yield* complete(io, task, { succeeded: false, error: turn.text })
          case 'Continue':
        }
      }
      if (!(yield* isUnconsumed(io, Task, ref))) return 'stopped'
      yield* move(io, task, { ticks: ticks + chunksPerFlow, nextTickAt: yield* io.now() }, 'task-continued')
      return 'continued'
    },
  })
