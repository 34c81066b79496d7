/**
 * One tick of a conductor: look after its task, call it, and do what it says. The tick ends in a transaction that
 * consumes the conductor's state; when that state is gone by then, the run was stopped meanwhile and the tick leaves
 * no trace.
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
import { Conductor, type ConductorData } from './ConductorState.js'
import { endRun } from './endRun.js'
import { flowNames } from './flowNames.js'
import { happening, HappeningCommand } from './Happening.js'
import { above, latest } from './latest.js'
import { lastTaskOf, restartRun } from './runs.js'
import { Scheduler } from './SchedulerState.js'
import type { Stage } from './Stage.js'
import { taskOf } from './taskOf.js'
import { hasOutcome, Task, type TaskData } from './TaskState.js'
import { ConductTurnC, type ConductTurn } from './turns.js'

const once = { attempts: 1 }
export const timedOut = 'Task timed out'

/** The node's term, as every step is told it: it tells one life of the process from another. */
export const lifeOf = (io: FlowIo): FlowBody<number> => io.step('life', ({ term }) => term)

/** The task of a run. One that has had its time counts as dead; the conductor hears of it in this same tick. */
const judgedTask = function* (
  io: FlowIo,
  conductor: StateAndRef<ConductorData>,
  timeoutSeconds: number,
): FlowBody<StateAndRef<TaskData> | undefined> {
  const seen: { task?: StateAndRef<TaskData> | undefined } = {}
  const recorded = yield* io.transact(function* (tx): FlowBody<TransactionBuilder | undefined> {
    const task = yield* taskOf(io, conductor)
    seen.task = task
    if (task?.data.outcome !== null) return undefined
    const elapsedMs = millisBetween(task.data.startedAt, yield* io.now())
    if (Math.floor(elapsedMs / 1000) < timeoutSeconds) return undefined
    const data = { ...task.data, outcome: { succeeded: false, error: timedOut } }
    seen.task = { ...task, data }
    return tx
      .consume(task)
      .produce(Task, data)
      .command(HappeningCommand, [data.owner], happening(data, 'task-timed-out', { text: data.taskId }))
  })
  return recorded === undefined || seen.task === undefined ? seen.task : { ...seen.task, ref: recorded.output() }
}

/** Reads what a restart of the run needs; gives what puts the restart into a transaction. */
export const restart = function* (
  io: FlowIo,
  conductor: StateAndRef<ConductorData>,
  life: number,
): FlowBody<(tx: TransactionBuilder) => TransactionBuilder> {
  const now = yield* io.now()
  const task = yield* taskOf(io, conductor)
  const scheduler = conductor.data.scheduler ?? above(conductor.ref)
  return (tx) =>
    tx
      .consume(conductor, ...(task === undefined ? [] : [task]))
      .produce(Conductor, restartRun(conductor.data, now, life, scheduler))
      .command(HappeningCommand, [conductor.data.owner], happening(conductor.data, 'run-restarted'))
}

type Tick = {
  readonly conductor: StateAndRef<ConductorData>
  readonly scheduler: StateAndRef<unknown>
  /** The task as the conductor was told about it. */
  readonly seen: StateAndRef<TaskData> | undefined
  readonly life: number
}

const pollAgain = function* (
  io: FlowIo,
  { conductor, scheduler, seen, life }: Tick,
  turn: Extract<ConductTurn, { readonly kind: 'ContinueIn' }>,
): FlowBody<void> {
  const now = yield* io.now()
  const { data } = conductor
  const collected = hasOutcome(seen?.data) ? seen : undefined
  const serial = data.tasksStarted + 1
  const next: ConductorData = {
    ...data,
    invocationCount: data.invocationCount + 1,
    nextTickAt: plus(now, { seconds: turn.seconds }),
    life,
    scheduler: scheduler.ref,
    task: turn.task === null ? (collected === undefined ? (seen?.ref ?? null) : null) : 'beside',
    tasksStarted: turn.task === null ? data.tasksStarted : serial,
    lastCompletedTask: lastTaskOf(data, collected?.data),
  }
  yield* io.finalise((tx) => {
    tx.consume(conductor, ...(collected === undefined ? [] : [collected])).produce(Conductor, next)
    if (turn.task === null) return tx.command(HappeningCommand, [data.owner], happening(data, 'polled'))
    const { owner, choreId, run } = data
    return tx
      .produce(Task, {
        ...{ owner, choreId, run, serial, life, taskId: turn.task },
        ...{ startedAt: now, nextTickAt: now, ticks: 0, outcome: null },
      })
      .command(HappeningCommand, [owner], happening(data, 'task-started', { text: turn.task }))
  })
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
      const { data } = conductor
      const { choreId, choreType, run, invocationCount } = data
      const scheduler = yield* latest(io, Scheduler, data.scheduler ?? above(ref))
      if (scheduler === undefined) return 'deleted'
      const seen = yield* judgedTask(io, conductor, scheduler.data.config.taskTimeoutSeconds)
      const life = data.life ?? (yield* lifeOf(io))
      const context = {
        choreId,
        invocationCount,
        isTaskRunning: seen?.data.outcome === null,
        lastCompletedTask: lastTaskOf(data, seen?.data),
      }
      const turn = yield* io.step<ConductTurn>(
        'conduct',
        ({ term }) =>
          term === life
            ? stage.conduct(`${ref.transaction}:${ref.index}`, choreType, context, {
                ...{ choreId, run, life },
                serial: data.tasksStarted + 1,
              })
            : { kind: 'interrupted', life: term },
        { result: ConductTurnC, retry: once },
      )
      switch (turn.kind) {
        case 'gone':
          return 'stopped'
        case 'interrupted':
          yield* io.finalise(yield* restart(io, conductor, turn.life))
          return 'interrupted'
        case 'ContinueIn':
          yield* pollAgain(io, { conductor, scheduler, seen, life }, turn)
          return 'polling'
        case 'Done':
        case 'Error':
          yield* endRun(io, conductor, scheduler.ref, turn)
          return turn.kind
      }
    },
  })
