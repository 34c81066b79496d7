/**
 * What an administrator may ask of one chore, as data that travels from the command line to the ledger unchanged,
 * and what it means: a pure decision on the scheduler's state. Whether a run begins or ends with it is part of the
 * verdict; a control that has nothing to change says so, and one that is not allowed says why.
 */
import { createHash } from 'node:crypto'
import * as t from 'io-ts'
import { InstantC, instantFromMillis, IntegerC, toMillis, type Instant } from 'carillon'
import { record } from '../../shared/record.js'
import { choreLimits, errorText, faultOfName, faultOfSeconds } from './ChoreDefinition.js'
import { lifecycleOf, type ChoreConfig, type SchedulerData } from './states.js'

/** Controls that say nothing but their name. */
const PlainVerbC = t.keyof({
  enable: null,
  disable: null,
  /** Run now, whatever the schedule says. */
  trigger: null,
  /** Enable, run now, and book the next run. */
  start: null,
  pause: null,
  resume: null,
  /** Disable, clear the schedule, end the run. */
  stop: null,
  /** The emergency stop: end the run and disarm, but leave the chore enabled. */
  'stop-chore': null,
  'cancel-timers': null,
  'resume-timers': null,
  delete: null,
})
export type PlainVerb = t.TypeOf<typeof PlainVerbC>

export const ControlC = t.union([
  t.readonly(t.strict({ verb: PlainVerbC })),
  /** `maxSeconds` left out keeps the maximum there is; null removes it. */
  record('Interval', { verb: t.literal('interval'), seconds: IntegerC }, { maxSeconds: t.union([IntegerC, t.null]) }),
  t.readonly(t.strict({ verb: t.literal('timeout'), seconds: IntegerC })),
  /** `schedule` enables it, and runs it first at an instant; `next-run` only moves the run that is booked. */
  t.readonly(t.strict({ verb: t.keyof({ schedule: null, 'next-run': null }), at: InstantC })),
  /** The circuit breaker: end the run, disarm, and say why; a person must let it go on. */
  t.readonly(t.strict({ verb: t.literal('break'), reason: t.string })),
  t.readonly(t.strict({ verb: t.literal('rename'), name: t.string })),
])
export type Control = t.TypeOf<typeof ControlC>

type Interval = Pick<ChoreConfig, 'intervalSeconds' | 'maxIntervalSeconds'>

export const isRandom = ({ intervalSeconds, maxIntervalSeconds }: Interval): boolean =>
  maxIntervalSeconds !== null && maxIntervalSeconds > intervalSeconds

/** Whole seconds in [interval, maximum], each as likely as any other; exactly the interval where there is no choice. */
export const pickInterval = (interval: Interval, seed: string | null): number => {
  const { intervalSeconds, maxIntervalSeconds } = interval
  if (maxIntervalSeconds === null || maxIntervalSeconds <= intervalSeconds || seed === null) return intervalSeconds
  const choices = maxIntervalSeconds - intervalSeconds + 1
  // 48 bits are exact in a double, and so many more than there are choices that none is favoured noticeably.
  const drawn = createHash('sha256').update(seed).digest().readUIntBE(0, 6)
  return intervalSeconds + (drawn % choices)
}

const lastMs = Date.parse('9999-12-31T23:59:59.999Z')

/** Undefined beyond the end of the calendar. */
const secondsAfter = (from: Instant, seconds: number): Instant | undefined => {
  const atMs = toMillis(from) + seconds * 1000
  return atMs > lastMs ? undefined : instantFromMillis(atMs)
}

/** One interval from now, as for a chore that is enabled. */
export const bookFrom = (now: Instant, interval: Interval, seed: string | null): Instant | undefined =>
  secondsAfter(now, pickInterval(interval, seed))

/** The run after a fire that was due at one instant and happened at another. */
export const bookAfterFire = (
  due: Instant,
  now: Instant,
  config: ChoreConfig,
  seed: string | null,
): Instant | undefined => {
  const seconds = pickInterval(config, seed)
  if (config.countFrom === 'fire') return secondsAfter(now, seconds)
  // Intervals that have passed entirely are left out: one run makes good for all that were missed.
  const missed = Math.max(0, Math.floor((toMillis(now) - toMillis(due)) / (seconds * 1000)))
  return secondsAfter(due, seconds * (missed + 1))
}

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

const awake = { enabled: true, paused: false }
const asleep: Change = {
  config: { enabled: false, paused: false },
  ...{ timer: 'set', nextScheduledRunAt: null, bookingSeed: null },
}

/** With the next run booked one interval from now; `seed` decides the interval, where it is random. */
const booked = (
  before: SchedulerData,
  change: Change,
  now: Instant,
  seed: string | null,
  startsRun = false,
): Verdict => {
  const next = bookFrom(now, before.config, seed)
  return next === undefined
    ? refused(`The next run of ${before.choreId} would lie beyond the calendar.`)
    : changed(before, { ...change, nextScheduledRunAt: next, bookingSeed: seed }, { startsRun })
}

const resumed = (before: SchedulerData, now: Instant, seed: string | null): Verdict => {
  const next = before.nextScheduledRunAt
  const going = { config: { paused: false }, timer: 'set' } as const
  if (lifecycleOf(before.config) !== 'Paused') return nothing
  if (next !== null && toMillis(next) > toMillis(now)) return changed(before, going)
  return booked(before, going, now, seed, next !== null)
}

const withInterval = (
  before: SchedulerData,
  { seconds, maxSeconds }: Extract<Control, { verb: 'interval' }>,
): Verdict => {
  const { maxIntervalSeconds: kept } = before.config
  if (maxSeconds === undefined && kept !== null && kept < seconds)
    return refused(`The maximum of ${kept} s would be below the interval: give a new one, or none.`)
  return changed(before, {
    config: { intervalSeconds: seconds, maxIntervalSeconds: maxSeconds === undefined ? kept : maxSeconds },
  })
}

/** What is wrong with a control, of whatever chore it is asked; undefined when nothing is. */
export const faultOfControl = (control: Control, now: Instant): string | undefined => {
  switch (control.verb) {
    case 'interval': {
      const { seconds, maxSeconds } = control
      const isMaximum = maxSeconds !== undefined && maxSeconds !== null
      return faultOfSeconds('An interval', seconds) ?? (isMaximum ? faultOfSeconds('A maximum', maxSeconds) : undefined)
    }
    case 'timeout':
      return faultOfSeconds('A task timeout', control.seconds)
    case 'schedule':
    case 'next-run': {
      const isTooFar = toMillis(control.at) - toMillis(now) > choreLimits.longestSeconds * 1000
      return isTooFar ? 'A next run is at most 100 years away.' : undefined
    }
    case 'rename':
      return faultOfName('The name of a chore', control.name)
    case 'break':
      return control.reason.trim() === '' ? 'A circuit breaker says why it opens.' : undefined
    default:
      return undefined
  }
}

/** `seed` decides the interval of a booking, where it is random. */
export const decideControl = (before: SchedulerData, control: Control, now: Instant, seed: string | null): Verdict => {
  const fault = faultOfControl(control, now)
  if (fault !== undefined) return refused(fault)
  switch (control.verb) {
    case 'enable': {
      const change = { config: awake, timer: 'set' } as const
      return before.nextScheduledRunAt === null ? booked(before, change, now, seed) : changed(before, change)
    }
    case 'disable':
      return changed(before, asleep)
    case 'interval':
      return withInterval(before, control)
    case 'timeout':
      return changed(before, { config: { taskTimeoutSeconds: control.seconds } })
    case 'trigger':
      if (before.conductorActive) return nothing
      return changed(before, before.timer === 'stopped' || before.timer === 'broken' ? { timer: 'set' } : {}, {
        startsRun: true,
      })
    case 'start':
      return booked(before, { config: awake, timer: 'set' }, now, seed, true)
    case 'schedule':
      return changed(before, { config: awake, timer: 'set', nextScheduledRunAt: control.at, bookingSeed: null })
    case 'pause':
      // A paused chore may have been triggered meanwhile: that run ends, too.
      if (lifecycleOf(before.config) === 'Stopped') return nothing
      return changed(before, { config: { paused: true } }, { stopsRun: true })
    case 'resume':
      return resumed(before, now, seed)
    case 'stop':
      return changed(before, asleep, { stopsRun: true })
    case 'stop-chore':
      return changed(before, before.config.enabled ? { timer: 'stopped' } : {}, { stopsRun: true })
    case 'break':
      if (!before.config.enabled) return refused(`Chore ${before.choreId} is stopped already.`)
      return changed(
        before,
        { timer: 'broken', lastError: `Circuit breaker: ${errorText(control.reason)}`, lastErrorAt: now },
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
      return lacksRun ? booked(before, { timer }, now, seed) : changed(before, { timer })
    }
    case 'rename':
      return changed(before, { name: control.name })
    case 'delete':
      if (before.config.enabled || before.conductorActive)
        return refused(`Chore ${before.choreId} must be stopped before it can be deleted.`)
      return { kind: 'deleted' }
  }
}
