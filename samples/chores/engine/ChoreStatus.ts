/**
 * What an administrator sees of a chore, and what the engine keeps about it, in the seed's own fields. Both are read
 * off the chore's states; only whether a callback executes at this moment is known to the process that executes it.
 *
 * Running: a callback is being executed. Polling: the conductor waits for its next tick. Scheduled: the scheduler is
 * armed. Idle: nothing is set and nothing happens.
 */
import { showRef, type Instant } from 'carillon'
import { lifecycleOf, type ChoreConfig, type Lifecycle } from './ChoreConfig.js'
import type { ChoreDefinition } from './ChoreDefinition.js'
import type { ChoreStates } from './ChoreView.js'
import { lastTaskOf } from './runs.js'
import { isArmed } from './SchedulerState.js'

/** A state's ref stands for the timer its activity is; it means the same before and after a restart. */
type TimerId = string

export type ChoreRuntimeState = {
  readonly schedulerTimerId: TimerId | null
  readonly nextScheduledRunAt: Instant | null
  readonly lastCompletedRunAt: Instant | null

  readonly conductorActive: boolean
  readonly conductorTimerId: TimerId | null
  readonly conductorStartedAt: Instant | null
  readonly conductorInvocationCount: number

  readonly currentTaskId: string | null
  readonly taskActive: boolean
  readonly taskTimerId: TimerId | null
  readonly taskStartedAt: Instant | null
  readonly lastCompletedTaskId: string | null
  readonly lastTaskSucceeded: boolean | null
  readonly lastTaskError: string | null

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
    readonly lifecycle: Lifecycle
    /** The circuit breaker keeps it from running until a person enables, starts or triggers it. */
    readonly circuitBroken: boolean
    readonly schedulerStatus: 'Idle' | 'Scheduled'
    readonly conductorStatus: 'Idle' | 'Running' | 'Polling'
    readonly taskStatus: 'Idle' | 'Running'
  }

/** What the executing process knows. */
export type Execution = {
  readonly isExecuting: (ref: string) => boolean
  readonly isStopRequested: (choreId: string) => boolean
}

export const runtimeStateOf = (
  { scheduler, conductor, task }: ChoreStates,
  execution: Execution,
): ChoreRuntimeState => {
  const { data } = scheduler
  const active = task?.data.outcome === null ? task : undefined
  const last = conductor === undefined ? data.lastTask : lastTaskOf(conductor.data, task?.data)
  return {
    schedulerTimerId: isArmed(data) ? showRef(scheduler.ref) : null,
    nextScheduledRunAt: data.nextScheduledRunAt,
    lastCompletedRunAt: data.lastCompletedRunAt,
    conductorActive: conductor !== undefined,
    conductorTimerId: conductor === undefined ? null : showRef(conductor.ref),
    conductorStartedAt: conductor?.data.startedAt ?? null,
    conductorInvocationCount: conductor?.data.invocationCount ?? 0,
    currentTaskId: active?.data.taskId ?? null,
    taskActive: active !== undefined,
    taskTimerId: active === undefined ? null : showRef(active.ref),
    taskStartedAt: active?.data.startedAt ?? null,
    lastCompletedTaskId: last?.taskId ?? null,
    lastTaskSucceeded: last?.succeeded ?? null,
    lastTaskError: last?.error ?? null,
    stopRequested: execution.isStopRequested(data.choreId),
    totalRunCount: data.totalRunCount,
    totalSuccessCount: data.totalSuccessCount,
    totalFailureCount: data.totalFailureCount,
    lastError: data.lastError,
    lastErrorAt: data.lastErrorAt,
  }
}

export const statusOf = (
  states: ChoreStates,
  definition: ChoreDefinition | undefined,
  execution: Execution,
): ChoreStatus => {
  const { schedulerTimerId, conductorTimerId, taskTimerId, conductorActive, taskActive, ...shared } = runtimeStateOf(
    states,
    execution,
  )
  const { choreId, choreType, name, config, timer } = states.scheduler.data
  const { enabled, intervalSeconds, maxIntervalSeconds, taskTimeoutSeconds } = config
  return {
    ...{ choreId, choreType, choreName: name, choreDescription: definition?.description ?? '' },
    ...{ lifecycle: lifecycleOf(config), enabled, intervalSeconds, maxIntervalSeconds, taskTimeoutSeconds },
    circuitBroken: timer === 'broken',
    ...shared,
    schedulerStatus: schedulerTimerId === null ? 'Idle' : 'Scheduled',
    conductorStatus:
      conductorTimerId === null || !conductorActive
        ? 'Idle'
        : execution.isExecuting(conductorTimerId)
          ? 'Running'
          : 'Polling',
    taskStatus: taskTimerId !== null && taskActive ? 'Running' : 'Idle',
  }
}
