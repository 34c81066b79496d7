/**
 * One tick of a conductor: look after its task, call it, and do what it says. The tick ends in a transaction that
 * consumes the conductor's state; when that state is gone by then, the run was stopped meanwhile and the tick
 * leaves no trace. Whatever goes wrong in a tick fails the run: a run never stays active because of it.
 */
import * as t from 'io-ts'
import {
  defineFlow,
  millisBetween,
  plus,
  StateRefC,
  type FlowBody,
  type FlowDefinition,
  type FlowIo,
  type StateAndRef,
  type TransactionBuilder,
} from 'carillon'
import { choreLimits, thrownText } from './ChoreDefinition.js'
import { tell } from './Happening.js'
import { ConductTurnC, type ConductTurn, type Stage } from './Stage.js'
import { endRun } from './runs.js'
import {
  completedTaskOf,
  Conductor,
  flowNames,
  hasOutcome,
  Scheduler,
  Task,
  type ConductorData,
  type TaskData,
} from './states.js'

/** The node's term, as every step is told it: it tells one life of the process from another. */
export const lifeOf = (io: FlowIo): FlowBody<number> => io.step('life', ({ term }) => term)

export const timedOut = 'Task timed out'

/** The task of a run. One that has had its time counts as dead; the conductor hears of it in this same tick. */
const judgedTask = function* (
  io: FlowIo,
  choreId: string,
  timeoutSeconds: number,
): FlowBody<StateAndRef<TaskData> | undefined> {
  yield* io.transact(function* (tx): FlowBody<TransactionBuilder | undefined> {
    const task = yield* io.find(Task, choreId)
    if (task === undefined || hasOutcome(task.data)) return undefined
    const { data } = task
    const elapsedMs = millisBetween(data.startedAt, yield* io.now())
    if (Math.floor(elapsedMs / 1000) < timeoutSeconds) return undefined
    tx.replace(task, { outcome: { succeeded: false, error: timedOut } })
    return tell(tx, data, 'task-timed-out', { text: data.taskId, why: timedOut })
  })
  return yield* io.find(Task, choreId)
}

/** The same run from its beginning, in another life of the node. */
export const restart = function* (
  io: FlowIo,
  tx: TransactionBuilder,
  conductor: StateAndRef<ConductorData>,
  life: number,
): FlowBody<void> {
  const now = yield* io.now()
  const { data } = conductor
  const task = yield* io.find(Task, data.choreId)
  if (task !== undefined) tx.consume(task)
  const beginning = { startedAt: now, invocationCount: 0, nextTickAt: now, lastCompletedTask: null }
  tell(tx.replace(conductor, { ...beginning, life }), data, 'run-restarted')
}

type Tick = {
  readonly conductor: StateAndRef<ConductorData>
  /** The task as the conductor was told about it. */
  readonly seen: StateAndRef<TaskData> | undefined
  readonly life: number
}

const pollAgain = function* (
  io: FlowIo,
  { conductor, seen, life }: Tick,
  turn: Extract<ConductTurn, { readonly kind: 'ContinueIn' }>,
): FlowBody<void> {
  const now = yield* io.now()
  const { data } = conductor
  const collected = hasOutcome(seen?.data) ? seen : undefined
  const serial = data.tasksStarted + 1
  yield* io.finalise((tx) => {
    if (collected !== undefined) tx.consume(collected)
    tx.replace(conductor, {
      invocationCount: data.invocationCount + 1,
      nextTickAt: plus(now, { seconds: turn.seconds }),
      life,
      tasksStarted: turn.task === null ? data.tasksStarted : serial,
      lastCompletedTask: completedTaskOf(collected?.data) ?? data.lastCompletedTask,
    })
    if (turn.task === null) return tell(tx, data, 'polled')
    const { owner, choreId, run } = data
    tx.produce(Task, {
      ...{ owner, choreId, run, serial, life, taskId: turn.task },
      ...{ startedAt: now, nextTickAt: now, ticks: 0, outcome: null },
    })
    return tell(tx, data, 'task-started', { text: turn.task })
  })
}

const tick = function* (io: FlowIo, stage: Stage, conductor: StateAndRef<ConductorData>): FlowBody<string> {
  const { ref, data } = conductor
  const { choreId, choreType, run, invocationCount } = data
  const scheduler = yield* io.find(Scheduler, choreId)
  if (scheduler === undefined) return 'deleted'
  const seen = yield* judgedTask(io, choreId, scheduler.data.config.taskTimeoutSeconds)
  const context = {
    choreId,
    invocationCount,
    isTaskRunning: seen?.data.outcome === null,
    lastCompletedTask: completedTaskOf(seen?.data) ?? data.lastCompletedTask,
  }
  const life = data.life ?? (yield* lifeOf(io))
  const first = yield* io.race({
    turn: io.step<ConductTurn>(
      'conduct',
      ({ term }) =>
        life === term
          ? stage.conduct(ref, choreType, context, { choreId, run, life, serial: data.tasksStarted + 1 })
          : { kind: 'interrupted', life: term },
      { result: ConductTurnC, retry: { attempts: 1 }, timeout: { seconds: choreLimits.conductorSeconds } },
    ),
    // The run was stopped: nobody waits for the conductor any more.
    stopped: io.waitForConsumption(ref),
  })
  if (first.winner === 'stopped') return 'stopped'
  const turn = first.value
  switch (turn.kind) {
    case 'gone':
      return 'stopped'
    case 'interrupted':
      yield* io.transact(function* (tx) {
        yield* restart(io, tx, conductor, turn.life)
        return tx
      })
      return 'interrupted'
    case 'ContinueIn':
      yield* pollAgain(io, { conductor, seen, life }, turn)
      return 'polling'
    case 'Done':
    case 'Error':
      yield* endRun(io, conductor, turn)
      return turn.kind
  }
}

export const defineConduct = (
  stage: Stage,
): FlowDefinition<{ readonly conductor: t.TypeOf<typeof StateRefC> }, string> =>
  defineFlow({
    name: flowNames.conduct,
    schedulable: true,
    input: t.strict({ conductor: StateRefC }),
    *run(io, { conductor: ref }): FlowBody<string> {
      const conductor = yield* io.load(Conductor, ref)
      try {
        return yield* tick(io, stage, conductor)
      } catch (error) {
        const text = `The tick failed: ${thrownText(error)}`
        yield* endRun(io, conductor, { kind: 'Error', text })
        return text
      }
    },
  })

/**
 * After a start of the node, a run that another life of the process had begun starts again from its beginning. One
 * that lives in this life is left alone, so it does not matter how often this is asked.
 */
export const ResumeRun = defineFlow({
  name: flowNames.resume,
  input: t.readonly(t.strict({ choreId: t.string })),
  *run(io, { choreId }): FlowBody<string> {
    const life = yield* lifeOf(io)
    return yield* io.transact(function* (tx): FlowBody<string> {
      const conductor = yield* io.find(Conductor, choreId)
      if (conductor === undefined) return 'ended'
      // Before its first tick a run has no life yet; that tick is due, and will be the beginning.
      if (conductor.data.life === null || conductor.data.life === life) return 'alive'
      yield* restart(io, tx, conductor, life)
      return 'restarted'
    })
  },
})
