/**
 * Health at a glance: one lamp for a chore, and for several the worst of theirs.
 */
import { millisBetween, type Instant } from 'carillon'
import type { ChoreStatus } from './ChoreStatus.js'

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
