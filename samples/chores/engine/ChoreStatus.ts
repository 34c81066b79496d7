/**
 * What an administrator sees of a chore, and what the engine keeps about it, in the seed's own fields. Both are read
 * off the chore's states; only whether a callback executes at this moment is known to the process that executes it.
 *
 * Running: a callback is being executed. Polling: the conductor waits for its next tick. Scheduled: the scheduler is
 * armed. Idle: nothing is set and nothing happens.
 */
import { showRef, type Instant, type StateRef } from 'carillon'
import { lifecycleOf, type ChoreConfig, type Lifecycle } from './ChoreConfig.js'
import type { ChoreDefinition } from './ChoreDefinition.js'
import type { Chore, FailedTask } from './ChoresProjection.js'
import { isArmed } from './SchedulerState.js'
import { completedTaskOf } from './TaskState.js'

/** A state's ref stands for the timer its activity is; it means the same before and after a restart. */
type TimerId = string

export type ChoreRuntimeState = {
  readonly schedulerTimerId: TimerId | null
  readonly nextScheduledRunAt: Instant | null
  readonly lastCompletedRunAt: Instant | null

  readonly conductorActive: boolean
  readonly conductorTimerId: TimerId | null
  readonly conductorStartedAt: Instant | null
  /** Ticks of the run under way, or of the last one. */
  readonly conductorInvocationCount: number

  readonly currentTaskId: string | null
  readonly taskActive: boolean
  readonly taskTimerId: TimerId | null
  readonly taskStartedAt: Instant | null
  readonly lastCompletedTaskId: string | null
  readonly lastTaskSucceeded: boolean | null
  readonly lastTaskError: string | null
  /** The task that failed last, also when others have succeeded since. */
  readonly lastFailedTask: FailedTask | null

  readonly stopRequested: boolean

  readonly totalRunCount: number
  readonly totalSuccessCount: number
  readonly totalFailureCount: number
  readonly lastError: string | null
  readonly lastErrorAt: Instant | null
}

type Shared = Exclude<
  keyof ChoreRuntimeState,
  'schedulerTimerId' | 'conductorTimerId' | 'taskTimerId' | 'conductorActive' | 'taskActive'
>

export type ChoreStatus = Pick<ChoreRuntimeState, Shared> &
  Pick<ChoreConfig, 'enabled' | 'intervalSeconds' | 'taskTimeoutSeconds' | 'maxIntervalSeconds'> & {
    readonly choreId: string
    readonly choreName: string
    readonly choreDescription: string
    readonly choreType: string
    /** Stopped also when its next run is booked and cannot happen; `held` says why. */
    readonly lifecycle: Lifecycle
    readonly held: string | null
    /** The circuit breaker keeps it from running until a person enables, starts or triggers it. */
    readonly circuitBroken: boolean
    readonly schedulerStatus: 'Idle' | 'Scheduled'
    readonly conductorStatus: 'Idle' | 'Running' | 'Polling'
    readonly taskStatus: 'Idle' | 'Running'
  }

/** What the executing process knows. */
export type Execution = {
  readonly isExecuting: (ref: StateRef) => boolean
  readonly isStopRequested: (choreId: string) => boolean
}

/** A task that is at work; one with an outcome only waits for its conductor. */
const activeTask = ({ task }: Chore) => (task?.data.outcome === null ? task : null)

const isScheduled = ({ held, scheduler }: Chore): boolean => held === null && isArmed(scheduler.data)

const sharedOf = (chore: Chore, execution: Execution): Pick<ChoreRuntimeState, Shared> => {
  const { conductor, lastTask, lastTicks, lastFailedTask } = chore
  const { data } = chore.scheduler
  const active = activeTask(chore)
  const last = completedTaskOf(chore.task?.data) ?? (conductor === null ? lastTask : conductor.data.lastCompletedTask)
  return {
    nextScheduledRunAt: data.nextScheduledRunAt,
    lastCompletedRunAt: data.lastCompletedRunAt,
    conductorStartedAt: conductor?.data.startedAt ?? null,
    conductorInvocationCount: conductor?.data.invocationCount ?? lastTicks,
    currentTaskId: active?.data.taskId ?? null,
    taskStartedAt: active?.data.startedAt ?? null,
    lastCompletedTaskId: last?.taskId ?? null,
    lastTaskSucceeded: last?.succeeded ?? null,
    lastTaskError: last?.error ?? null,
    lastFailedTask,
    stopRequested: execution.isStopRequested(data.choreId),
    totalRunCount: data.totalRunCount,
    totalSuccessCount: data.totalSuccessCount,
    totalFailureCount: data.totalFailureCount,
    lastError: data.lastError,
    lastErrorAt: data.lastErrorAt,
  }
}

export const runtimeStateOf = (chore: Chore, execution: Execution): ChoreRuntimeState => {
  const { scheduler, conductor } = chore
  const active = activeTask(chore)
  return {
    ...sharedOf(chore, execution),
    schedulerTimerId: isScheduled(chore) ? showRef(scheduler.ref) : null,
    conductorActive: conductor !== null,
    conductorTimerId: conductor === null ? null : showRef(conductor.ref),
    taskActive: active !== null,
    taskTimerId: active === null ? null : showRef(active.ref),
  }
}

export const statusOf = (chore: Chore, definition: ChoreDefinition | undefined, execution: Execution): ChoreStatus => {
  const { scheduler, conductor, held } = chore
  const { choreId, choreType, name, config, timer } = scheduler.data
  const { enabled, intervalSeconds, maxIntervalSeconds, taskTimeoutSeconds } = config
  return {
    ...{ choreId, choreType, choreName: name, choreDescription: definition?.description ?? '' },
    ...{ enabled, intervalSeconds, maxIntervalSeconds, taskTimeoutSeconds },
    ...{ lifecycle: held === null ? lifecycleOf(config) : 'Stopped', held, circuitBroken: timer === 'broken' },
    ...sharedOf(chore, execution),
    schedulerStatus: isScheduled(chore) ? 'Scheduled' : 'Idle',
    conductorStatus: conductor === null ? 'Idle' : execution.isExecuting(conductor.ref) ? 'Running' : 'Polling',
    taskStatus: activeTask(chore) === null ? 'Idle' : 'Running',
  }
}
