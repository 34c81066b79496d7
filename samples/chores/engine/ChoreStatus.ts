/**
 * What an administrator sees of a chore, in the seed's own fields, and the lamp that sums it up. All is read off the
 * chore's states; only whether a callback executes at this moment is known to the process that executes it. Running: a
 * callback is being executed. Polling: the conductor waits for its next tick. Scheduled: the scheduler is armed. Idle:
 * nothing is set and nothing happens.
 */
import { millisBetween, type Instant, type StateRef } from 'carillon'
import type { ChoreDefinition } from './ChoreDefinition.js'
import type { Chore } from './ChoresProjection.js'
import { completedTaskOf, isArmed, lifecycleOf } from './states.js'

/** What the executing process knows. */
export type Execution = {
  readonly isExecuting: (ref: StateRef) => boolean
  readonly isStopRequested: (choreId: string) => boolean
}

const conductorStatusOf = ({ conductor }: Chore, execution: Execution): 'Idle' | 'Running' | 'Polling' =>
  conductor === null ? 'Idle' : execution.isExecuting(conductor.ref) ? 'Running' : 'Polling'

export const statusOf = (chore: Chore, definition: ChoreDefinition | undefined, execution: Execution) => {
  const { scheduler, conductor, task, lastTask, lastTicks, lastFailedTask, held } = chore
  const { data } = scheduler
  const { choreId, choreType, config } = data
  const { enabled, intervalSeconds, maxIntervalSeconds, taskTimeoutSeconds } = config
  // A task with an outcome only waits for its conductor.
  const active = task?.data.outcome === null ? task.data : undefined
  const last = completedTaskOf(task?.data) ?? (conductor === null ? lastTask : conductor.data.lastCompletedTask)
  return {
    ...{ choreId, choreType, choreName: data.name, choreDescription: definition?.description ?? '' },
    ...{ enabled, intervalSeconds, maxIntervalSeconds, taskTimeoutSeconds },
    /** Stopped also when its next run is booked and cannot happen; `held` says why. */
    lifecycle: held === null ? lifecycleOf(config) : 'Stopped',
    held,
    /** The circuit breaker keeps it from running until a person enables, starts or triggers it. */
    circuitBroken: data.timer === 'broken',
    schedulerStatus: held === null && isArmed(data) ? ('Scheduled' as const) : ('Idle' as const),
    nextScheduledRunAt: data.nextScheduledRunAt,
    lastCompletedRunAt: data.lastCompletedRunAt,
    conductorStatus: conductorStatusOf(chore, execution),
    conductorStartedAt: conductor?.data.startedAt ?? null,
    /** Ticks of the run under way, or of the last one. */
    conductorInvocationCount: conductor?.data.invocationCount ?? lastTicks,
    taskStatus: active === undefined ? ('Idle' as const) : ('Running' as const),
    currentTaskId: active?.taskId ?? null,
    taskStartedAt: active?.startedAt ?? null,
    lastCompletedTaskId: last?.taskId ?? null,
    lastTaskSucceeded: last?.succeeded ?? null,
    lastTaskError: last?.error ?? null,
    /** The task that failed last, also when others have succeeded since. */
    lastFailedTask,
    stopRequested: execution.isStopRequested(choreId),
    totalRunCount: data.totalRunCount,
    totalSuccessCount: data.totalSuccessCount,
    totalFailureCount: data.totalFailureCount,
    lastError: data.lastError,
    lastErrorAt: data.lastErrorAt,
  }
}
export type ChoreStatus = Readonly<ReturnType<typeof statusOf>>

export type Lamp = 'Off' | 'OK' | 'Active' | 'Overdue' | 'CircuitBreaker' | 'Error'

/** From best to worst. */
const order: readonly Lamp[] = ['Off', 'OK', 'Active', 'Overdue', 'CircuitBreaker', 'Error']

const minuteMs = 60_000
export const lampLimits = {
  /** A run that should have begun so long ago is overdue. */
  lateMs: 5 * minuteMs,
  /** A last success older than so many intervals is overdue. */
  intervalsWithoutSuccess: 3,
  /** A run that takes longer has gone wrong. */
  longestRunMs: 60 * minuteMs,
} as const

const lastRunFailed = ({ lastErrorAt, lastCompletedRunAt }: ChoreStatus): boolean =>
  lastErrorAt !== null && (lastCompletedRunAt === null || lastErrorAt > lastCompletedRunAt)

const isOverdue = (status: ChoreStatus, now: Instant): boolean => {
  const { nextScheduledRunAt: next, lastCompletedRunAt: last, intervalSeconds, maxIntervalSeconds } = status
  const longestMs = Math.max(intervalSeconds, maxIntervalSeconds ?? 0) * 1000
  return (
    (next !== null && millisBetween(next, now) > lampLimits.lateMs) ||
    (last !== null && millisBetween(last, now) > lampLimits.intervalsWithoutSuccess * longestMs)
  )
}

export const lampOf = (status: ChoreStatus, now: Instant): Lamp => {
  const { conductorStatus, conductorStartedAt, lifecycle } = status
  const active = conductorStatus !== 'Idle'
  if (active && conductorStartedAt !== null && millisBetween(conductorStartedAt, now) > lampLimits.longestRunMs)
    return 'Error'
  if (status.circuitBroken) return 'CircuitBreaker'
  if (lastRunFailed(status) && (lifecycle !== 'Stopped' || active)) return 'Error'
  if (lifecycle === 'Running' && isOverdue(status, now)) return 'Overdue'
  if (active) return 'Active'
  return lifecycle === 'Running' ? 'OK' : 'Off'
}

/** The worst of several lamps; none at all is off. */
export const worstLamp = (lamps: readonly Lamp[]): Lamp =>
  lamps.reduce<Lamp>((worst, lamp) => (order.indexOf(lamp) > order.indexOf(worst) ? lamp : worst), 'Off')
