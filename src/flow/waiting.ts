/**
 * What a suspended flow waits for, as its record tells it. It is a list: the flow goes on when the first of them has come.
 */
import { withoutTrace, type RecordedError } from '../errors/CarillonError.js'
import type { Waiting, Waits } from '../log/events.js'
import { instantFromMillis, latestInstantMs, toMillis, type Instant } from '../time/Instant.js'
import type { Wait } from './Answer.js'
import type { Description } from './Description.js'
import type { FlowRow } from './FlowRow.js'

type TurnWait = Extract<Waiting, { readonly for: 'turn' }>

/** A wait for the next try after an error that may pass. */
export type RetryWait = TurnWait & { readonly retryAt: Instant }

/** Reads a list of waits as a row holds it. */
export const readWaits = (text: string): Waits => JSON.parse(text) as Waits

/** Waits with their errors told in a line each, for lists. */
export const withoutTraces = ([first, ...others]: Waits): Waits => {
  const told = (waiting: Waiting): Waiting => {
    if ((waiting.for !== 'step' && waiting.for !== 'turn') || waiting.error === undefined) return waiting
    return { ...waiting, error: withoutTrace(waiting.error as RecordedError) }
  }
  return [told(first), ...others.map(told)]
}

/** What a flow waits for; undefined when it was not suspended yet, or has ended. */
export const waitsOf = ({ waiting }: Pick<FlowRow, 'waiting'>): Waits | undefined =>
  waiting === null ? undefined : readWaits(waiting)

/** What one part of a flow, or the flow itself, waits for beside its turn. Each of them stands at one operation. */
export const operationWaitOf = (row: FlowRow, part?: string): Exclude<Waiting, TurnWait> | undefined =>
  waitsOf(row)
    ?.filter((waiting) => waiting.part === part)
    .find((waiting) => waiting.for !== 'turn' && waiting.for !== 'cancel')

/**
 * What a flow waits for after it has advanced. Where `over` is given, parts that are named neither there nor in the new
 * waits wait on as before.
 */
export const waitsAfter = (
  before: Waits | undefined,
  { waiting, over }: { readonly waiting: Waits; readonly over?: readonly string[] | undefined },
): Waits => {
  if (over === undefined || before === undefined) return waiting
  const named = new Set([...over, ...waiting.map(({ part }) => part)])
  const [first, ...rest] = waiting
  return [
    first,
    ...rest,
    ...before.filter((each) => each.for !== 'turn' && each.for !== 'cancel' && !named.has(each.part)),
  ]
}

const isRetry = (waiting: Waiting): waiting is RetryWait => waiting.for === 'turn' && waiting.retryAt !== undefined

/** The next try of a flow that has met an error which may pass; undefined when there is none. */
export const retryWaitOf = (row: FlowRow): RetryWait | undefined => waitsOf(row)?.find(isRetry)

/** When a wait that begins now is over, if it may last so long; undefined when it may last for ever. */
export const untilAfter = (nowMs: number, withinMs: number | undefined): number | undefined =>
  withinMs === undefined ? undefined : Math.min(nowMs + withinMs, latestInstantMs)

/**
 * A wait for an operation that a part stood at already keeps the end it was given first: what wakes the flow in between
 * does not prolong it.
 */
export const keepUntil = <W extends Wait>(wait: W, before: Waiting | undefined): W => {
  if (!('untilMs' in wait) || wait.untilMs === undefined) return wait
  if (
    before === undefined ||
    before.for === 'turn' ||
    before.for === 'step' ||
    before.for === 'cancel' ||
    before.until === undefined
  )
    return wait
  return { ...wait, untilMs: toMillis(before.until) }
}

/** Whether a wait is over although nothing has come. */
export const isTimedOut = (wait: Wait, nowMs: number): boolean =>
  'untilMs' in wait && wait.untilMs !== undefined && wait.untilMs <= nowMs

/** A wait as the record tells it. */
export const waitingFor = (wait: Wait, description: Description, attempt: number): Waiting => {
  if (wait.kind === 'until') return { for: 'instant', ...description, until: instantFromMillis(wait.atMs) }
  if (wait.kind === 'step') return { for: 'step', ...description, attempt }
  const timed = {
    ...description,
    ...(wait.untilMs === undefined ? {} : { until: instantFromMillis(wait.untilMs) }),
  }
  switch (wait.kind) {
    case 'message': {
      const { session, role, seq } = wait
      return { for: 'message', ...timed, session, role, seq }
    }
    case 'state':
      return { for: 'state', ...timed, type: wait.type, ...('key' in wait ? { key: wait.key } : { where: wait.where }) }
    case 'consumption':
      return { for: 'consumption', ...timed, ref: wait.ref }
    case 'transaction':
      return { for: 'transaction', ...timed, transaction: wait.transaction }
    case 'flow':
      return { for: 'flow', ...timed, flow: wait.flow }
    case 'signal':
      return { for: 'signal', ...timed, signal: wait.signal }
  }
}

/** The instant at which a wait is over by itself; null when something must happen first, for as long as that takes. */
const wakeOf = (waiting: Waiting, atMs: number): number | null => {
  switch (waiting.for) {
    case 'turn':
      return waiting.retryAt === undefined ? atMs : toMillis(waiting.retryAt)
    case 'cancel':
      return waiting.thrown === true ? toMillis(waiting.until) : atMs
    case 'step':
      return waiting.retryAt === undefined ? null : toMillis(waiting.retryAt)
    default:
      return waiting.until === undefined ? null : toMillis(waiting.until)
  }
}

/**
 * When a flow is to be woken: at the earliest instant it waits for; null when it waits for none. What can go on at once
 * is due at `atMs`, the time of its tick, and waits its turn.
 */
export const wakeMsOf = (waits: Waits, atMs: number): number | null => {
  let earliestMs: number | null = null
  for (const waiting of waits) {
    const wakeMs = wakeOf(waiting, atMs)
    if (wakeMs !== null && (earliestMs === null || wakeMs < earliestMs)) earliestMs = wakeMs
  }
  return earliestMs
}

/** Since when a flow may go on that is made ready now: what comes later does not put it behind others. */
export const readySinceMs = (wakeMs: number | null, atMs: number): number =>
  wakeMs === null ? atMs : Math.min(wakeMs, atMs)

/** Whether a flow that is to be woken is so because something has come, and not because an instant is to be reached. */
export const isReady = ({ status, waiting, wakeMs }: Pick<FlowRow, 'status' | 'waiting' | 'wakeMs'>): boolean => {
  if (wakeMs === null) return false
  const waits = waitsOf({ waiting }) ?? []
  // A flow that is held has no instant to reach but the end of the time that it has since it was cancelled.
  const counted = status === 'running' ? waits : waits.filter((wait) => wait.for === 'cancel')
  const ends = counted.map((wait) =>
    wait.for === 'cancel' && status !== 'running' ? toMillis(wait.until) : wakeOf(wait, latestInstantMs),
  )
  return ends.every((endMs) => endMs === null || wakeMs < endMs)
}

/** Whether nothing but time ends a wait. */
export const isForTime = (waiting: Waiting): boolean =>
  waiting.for === 'instant' ||
  waiting.for === 'turn' ||
  waiting.for === 'cancel' ||
  (waiting.for === 'step' && waiting.retryAt !== undefined)

/**
 * When a flow that was paused or parked is to be woken: at once, because what it waits for may have come meanwhile, unless
 * it waits for nothing but time.
 */
export const resumeMsOf = (waits: Waits | undefined, atMs: number): number =>
  waits?.every(isForTime) === true ? (wakeMsOf(waits, atMs) ?? atMs) : atMs

/** Whether the end of a step is waited for that is running, and not waiting for its next try. */
export const isStepUnderWay = (waiting: Waiting): boolean => waiting.for === 'step' && waiting.retryAt === undefined

/** How many steps a flow has under way. */
export const countStepsUnderWay = (waits: Waits): number => {
  let count = 0
  for (const waiting of waits) if (isStepUnderWay(waiting)) count += 1
  return count
}
