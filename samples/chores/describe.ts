/**
 * Statuses and log entries as lines for people.
 */
import type { Instant } from 'carillon'
import { isRandom, lampOf, type ChoreStatus, type RunLogEntry } from './engine/index.js'

const shown = (at: Instant | null): string => (at === null ? 'none' : at.replace('.000Z', 'Z'))

export const describeStatus = (status: ChoreStatus, now: Instant): string => {
  const { choreId, lifecycle, schedulerStatus, conductorStatus, taskStatus, nextScheduledRunAt } = status
  const task = status.currentTaskId === null ? '' : ` (${status.currentTaskId})`
  const stopping = status.stopRequested ? ', stop requested' : ''
  return [
    `  ${choreId.padEnd(22)} ${lampOf(status, now).padEnd(14)} ${lifecycle.padEnd(8)}`,
    `scheduler ${schedulerStatus}, conductor ${conductorStatus}, task ${taskStatus}${task}${stopping};`,
    `${status.totalSuccessCount} of ${status.totalRunCount} runs succeeded, next ${shown(nextScheduledRunAt)}`,
  ].join(' ')
}

/** Everything about one chore, one fact a line. */
export const describeDetails = (status: ChoreStatus, now: Instant): readonly string[] => [
  `${status.choreName} (${status.choreId}): ${status.choreDescription}`,
  `  lamp        ${lampOf(status, now)}`,
  `  lifecycle   ${status.lifecycle}${status.held === null ? '' : `: ${status.held}`}`,
  `  interval    ${status.intervalSeconds} s${isRandom(status) ? ` to ${status.maxIntervalSeconds} s` : ''}`,
  `  timeout     ${status.taskTimeoutSeconds} s a task`,
  `  scheduler   ${status.schedulerStatus}, next run ${shown(status.nextScheduledRunAt)}`,
  `  conductor   ${status.conductorStatus}, since ${shown(status.conductorStartedAt)}, ${status.conductorInvocationCount} ticks`,
  `  task        ${status.taskStatus}${status.currentTaskId === null ? '' : ` ${status.currentTaskId}, since ${shown(status.taskStartedAt)}`}`,
  `  last task   ${status.lastCompletedTaskId === null ? 'none' : `${status.lastCompletedTaskId}: ${status.lastTaskError ?? 'succeeded'}`}`,
  `  last failed ${status.lastFailedTask === null ? 'none' : `${status.lastFailedTask.taskId} in run ${status.lastFailedTask.run}: ${status.lastFailedTask.error}`}`,
  `  runs        ${status.totalRunCount}: ${status.totalSuccessCount} succeeded, ${status.totalFailureCount} failed; last success ${shown(status.lastCompletedRunAt)}`,
  `  last error  ${status.lastError === null ? 'none' : `${status.lastError} at ${shown(status.lastErrorAt)}`}`,
]

export const describeEntry = ({ at, run, kind, text, why, by }: RunLogEntry): string =>
  `  ${shown(at)}  run ${run}  ${kind}${text === null ? '' : ` ${text}`}${why === null ? '' : `: ${why}`}${by === null ? '' : ` (by ${by})`}`
