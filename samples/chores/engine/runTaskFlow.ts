/**
 * A task at work. `Continue` means again at once, so the flow goes on with the next chunk, unless its state was consumed:
 * a stop or a timeout does that, and then nobody waits for the chunk under way any more.
 */
import * as t from 'io-ts'
import {
  defineFlow,
  sameRef,
  StateRefC,
  type FlowBody,
  type FlowDefinition,
  type FlowIo,
  type StateAndRef,
} from 'carillon'
import { thrownText } from './ChoreDefinition.js'
import { flowNames, Task, type TaskData } from './states.js'
import { tell } from './Happening.js'
import { TaskTurnC, type Stage, type TaskTurn } from './Stage.js'

/** A flow's record is bounded, so after so many chunks the next flow takes over. */
const chunksPerFlow = 50

const complete = function* (
  io: FlowIo,
  task: StateAndRef<TaskData>,
  outcome: NonNullable<TaskData['outcome']>,
): FlowBody<string> {
  const kind = outcome.succeeded ? 'task-completed' : 'task-failed'
  const told = { text: task.data.taskId, why: outcome.error }
  yield* io.finalise((tx) => tell(tx.replace(task, { outcome }), task.data, kind, told))
  return kind
}

const work = function* (io: FlowIo, stage: Stage, task: StateAndRef<TaskData>): FlowBody<string> {
  const { ref, data } = task
  for (let chunk = 0; chunk < chunksPerFlow; chunk++) {
    const first = yield* io.race({
      turn: io.step<TaskTurn>(
        `chunk ${data.ticks + chunk}`,
        ({ term }) => (term === data.life ? stage.runTask(ref, data) : { kind: 'gone' }),
        { result: TaskTurnC, retry: { attempts: 1 } },
      ),
      stopped: io.waitForConsumption(ref),
    })
    if (first.winner === 'stopped') return 'stopped'
    const turn = first.value
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
  const nextTickAt = yield* io.now()
  const ticks = data.ticks + chunksPerFlow
  yield* io.finalise((tx) =>
    tell(tx.replace(task, { ticks, nextTickAt }), data, 'task-continued', { text: data.taskId }),
  )
  return 'continued'
}

export const defineRunTask = (stage: Stage): FlowDefinition<{ readonly task: t.TypeOf<typeof StateRefC> }, string> =>
  defineFlow({
    name: flowNames.runTask,
    schedulable: true,
    input: t.strict({ task: StateRefC }),
    *run(io, { task: ref }): FlowBody<string> {
      const task = yield* io.load(Task, ref)
      try {
        return yield* work(io, stage, task)
      } catch (error) {
        const current = yield* io.find(Task, task.data.choreId)
        if (current === undefined || !sameRef(current.ref, ref)) return 'stopped'
        return yield* complete(io, task, { succeeded: false, error: `The task could not go on: ${thrownText(error)}` })
      }
    },
  })
