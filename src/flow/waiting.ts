/**
 * What a suspended flow waits for, as its record tells it. It is a list: the flow goes on when the first of them has come.
 */
import type { Waiting, Waits } from '../log/events.js'
import { instantFromMillis, toMillis } from '../time/Instant.js'
import type { Wait } from './Answer.js'
import type { Description } from './Description.js'
import type { FlowRow } from './FlowRow.js'

type TurnWait = Extract<Waiting, { readonly for: 'turn' }>

/** Reads a list of waits as a row holds it. */
export const readWaits = (text: string): Waits => JSON.parse(text) as Waits

/** What a flow waits for; undefined when it was not suspended yet, or has ended. */
export const waitsOf = ({ waiting }: Pick<FlowRow, 'waiting'>): Waits | undefined =>
  waiting === null ? undefined : readWaits(waiting)

/** The wait for the operation a flow stands at; undefined when it only waits for its turn. A flow stands at one operation. */
export const operationWaitOf = (row: FlowRow): Exclude<Waiting, TurnWait> | undefined =>
  waitsOf(row)?.find((waiting) => waiting.for !== 'turn')

/** The wait for its turn; undefined when a flow has none. */
export const turnWaitOf = (row: FlowRow): TurnWait | undefined =>
  waitsOf(row)?.find((waiting) => waiting.for === 'turn')

/** A wait as the record tells it. */
export const waitingFor = (wait: Wait, description: Description, attempt: number): Waiting => {
  switch (wait.kind) {
    case 'until':
      return { for: 'instant', ...description, until: instantFromMillis(wait.atMs) }
    case 'message': {
      const { session, role, seq } = wait
      return { for: 'message', ...description, session, role, seq }
    }
    case 'step':
      return { for: 'step', ...description, attempt }
  }
}

const wakeOf = (waiting: Waiting, atMs: number): number | null => {
  switch (waiting.for) {
    case 'instant':
      return toMillis(waiting.until)
    case 'step':
      return waiting.retryAt === undefined ? null : toMillis(waiting.retryAt)
    case 'message':
      return null
    case 'turn':
      return waiting.retryAt === undefined ? atMs : toMillis(waiting.retryAt)
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

/** When a flow that was paused or parked is to be woken: at once, unless it waits for instants only. */
export const resumeMsOf = (waits: Waits | undefined, atMs: number): number => {
  if (waits === undefined || waits.some((waiting) => wakeOf(waiting, atMs) === null)) return atMs
  return wakeMsOf(waits, atMs) ?? atMs
}

/** Whether the end of a step is waited for that is running, and not waiting for its next try. */
export const isStepUnderWay = (waiting: Waiting): boolean => waiting.for === 'step' && waiting.retryAt === undefined

/** How many steps a flow has under way. */
export const countStepsUnderWay = (waits: Waits): number => {
  let count = 0
  for (const waiting of waits) if (isStepUnderWay(waiting)) count += 1
  return count
}
