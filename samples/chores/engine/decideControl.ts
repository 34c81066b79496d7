/**
 * What a control means for a chore: a pure decision on the scheduler's state. Whether a run begins or ends with it is
 * part of the verdict; a control that has nothing to change says so, and one that is not allowed says why.
 */
import { toMillis, type Instant } from 'carillon'
import { bookFrom } from './book.js'
import { lifecycleOf, type ChoreConfig } from './ChoreConfig.js'
import type { Control } from './Control.js'
import type { SchedulerData } from './SchedulerState.js'

export type Verdict =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'deleted' }
  | {
      readonly kind: 'changed'
      readonly scheduler: SchedulerData
      readonly startsRun: boolean
      readonly stopsRun: boolean
    }

const nothing: Verdict = { kind: 'nothing' }
const refused = (why: string): Verdict => ({ kind: 'refused', why })

type Change = Partial<Omit<SchedulerData, 'config'>> & { readonly config?: Partial<ChoreConfig> }

const changed = (
  before: SchedulerData,
  { config, ...rest }: Change,
  { startsRun = false, stopsRun = false }: { readonly startsRun?: boolean; readonly stopsRun?: boolean } = {},
): Verdict => {
  const scheduler = { ...before, ...rest, config: { ...before.config, ...config } }
  const starts = startsRun && !before.conductorActive
  const stops = stopsRun && before.conductorActive
  const same = !starts && !stops && JSON.stringify(scheduler) === JSON.stringify(before)
  return same ? nothing : { kind: 'changed', scheduler, startsRun: starts, stopsRun: stops }
}

const isWhole = (seconds: number): boolean => Number.isSafeInteger(seconds) && seconds >= 1

const resumed = (before: SchedulerData, now: Instant, seed: string | null): Verdict => {
  const next = before.nextScheduledRunAt
  const awake = { config: { paused: false }, timer: 'set' } as const
  if (lifecycleOf(before.config) !== 'Paused') return nothing
  if (next !== null && toMillis(next) > toMillis(now)) return changed(before, awake)
  const booked = { nextScheduledRunAt: bookFrom(now, before.config, seed), bookingSeed: seed }
  return changed(before, { ...awake, ...booked }, { startsRun: next !== null })
}

/** `seed` decides the interval of a booking, where it is random. */
export const decideControl = (before: SchedulerData, control: Control, now: Instant, seed: string | null): Verdict => {
  const awake = { enabled: true, paused: false }
  const booking = () => ({ nextScheduledRunAt: bookFrom(now, before.config, seed), bookingSeed: seed })
  switch (control.verb) {
    case 'enable':
      return changed(before, {
        config: awake,
        timer: 'set',
        ...(before.nextScheduledRunAt === null ? booking() : {}),
      })
    case 'disable':
      return changed(before, {
        config: { enabled: false, paused: false },
        timer: 'set',
        nextScheduledRunAt: null,
        bookingSeed: null,
      })
    case 'interval':
      if (!isWhole(control.seconds)) return refused('An interval is a whole number of seconds, at least 1.')
      return changed(before, {
        config: { intervalSeconds: control.seconds, maxIntervalSeconds: control.maxSeconds },
      })
    case 'timeout':
      if (!isWhole(control.seconds)) return refused('A task timeout is a whole number of seconds, at least 1.')
      return changed(before, { config: { taskTimeoutSeconds: control.seconds } })
    case 'trigger':
      if (before.conductorActive) return nothing
      return changed(before, before.timer === 'stopped' || before.timer === 'broken' ? { timer: 'set' } : {}, {
        startsRun: true,
      })
    case 'start':
      return changed(before, { config: awake, timer: 'set', ...booking() }, { startsRun: true })
    case 'schedule':
      return changed(before, { config: awake, timer: 'set', nextScheduledRunAt: control.at, bookingSeed: null })
    case 'pause':
      if (lifecycleOf(before.config) !== 'Running') return nothing
      return changed(before, { config: { paused: true } }, { stopsRun: true })
    case 'resume':
      return resumed(before, now, seed)
    case 'stop':
      return changed(
        before,
        { config: { enabled: false, paused: false }, timer: 'set', nextScheduledRunAt: null, bookingSeed: null },
        { stopsRun: true },
      )
    case 'stop-chore':
      return changed(before, before.config.enabled ? { timer: 'stopped' } : {}, { stopsRun: true })
    case 'break':
      if (control.reason.trim() === '') return refused('A circuit breaker says why it opens.')
      if (!before.config.enabled) return refused(`Chore ${before.choreId} is stopped already.`)
      return changed(
        before,
        { timer: 'broken', lastError: `Circuit breaker: ${control.reason}`, lastErrorAt: now },
        { stopsRun: true },
      )
    case 'next-run':
      if (!before.config.enabled) return refused(`Chore ${before.choreId} is stopped, so it has no next run to move.`)
      return changed(before, { nextScheduledRunAt: control.at, bookingSeed: null })
    case 'cancel-timers':
      return changed(before, before.timer === 'set' && before.config.enabled ? { timer: 'cancelled' } : {}, {
        stopsRun: true,
      })
    case 'resume-timers': {
      const timer = before.timer === 'cancelled' ? 'set' : before.timer
      const lacksRun = lifecycleOf(before.config) === 'Running' && timer === 'set' && before.nextScheduledRunAt === null
      return changed(before, { timer, ...(lacksRun ? booking() : {}) })
    }
    case 'rename':
      return control.name.trim() === '' ? refused('A chore needs a name.') : changed(before, { name: control.name })
    case 'delete':
      if (before.choreId === before.choreType)
        return refused(`Chore ${before.choreId} is the default instance of its type and cannot be deleted.`)
      if (before.config.enabled || before.conductorActive)
        return refused(`Chore ${before.choreId} must be stopped before it can be deleted.`)
      return { kind: 'deleted' }
  }
}
